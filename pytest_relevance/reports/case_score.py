"""The score of a case in words: its value, what may change it, and its sums."""

from __future__ import annotations

from pytest_relevance._number_text import digits_apart, total_text
from pytest_relevance._text import harmless, listed
from pytest_relevance.registry import EXPECTATIONS, ExtensionError
from pytest_relevance.reports.labels import STATUSES, settings_text
from pytest_relevance.reports.reasons import change_text
from pytest_relevance.reports.run.certainty_text import NEEDS_GRADES
from pytest_relevance.reports.styled_lines import PLAIN, Line, folded_lines, wrapped
from pytest_relevance.reports.terminal_text import display_width
from pytest_relevance.results.breakdown import Breakdown
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import PASSED, CaseResult
from pytest_relevance.results.settling import stake_of

_BEFORE_SETTINGS = "     "


def _score_digits(result: CaseResult) -> int:
    """Return how many decimals of the score tell it from the floor; at least 3."""
    if result.conditions.floor is None or result.score is None:
        return 3
    return digits_apart(result.score, result.conditions.floor)


# --- a case that does not fail --------------------------------------------------------


def met_text(result: CaseResult) -> str:
    """Return the score of a case that does not fail, and what it meets, as text.

    Example: `passed: nDCG@10 0.764, at least 0.500; P@5 0.800 >= 0.600`. The score of
    the baseline follows the score of the case.
    """
    parts = []
    if result.evaluation.judgments:
        parts.append(_own_score_text(result))
    outcomes = result.evaluation.outcomes
    parts += dict.fromkeys(_met_expectation_text(outcome) for outcome in outcomes)
    parts += [f"{name} is not defined" for name in result.evaluation.not_applicable]
    text = "; ".join(parts) or "no judgments"
    return f"passed: {text}" if result.verdict == PASSED else text


def _met_expectation_text(outcome: Outcome) -> str:
    """Return a met expectation with its figure: `P@5 0.800 >= 0.600`.

    The kind of the expectation makes this text. If it fails to, the text says so.
    """
    try:
        with EXPECTATIONS.calling(outcome.kind):
            text: str = EXPECTATIONS.get_or_unknown(outcome.kind).show_met(outcome)
        EXPECTATIONS.check_returned(outcome.kind, "show_met", text, str)
        return text
    except ExtensionError as error:
        return f"{outcome.name}; {error}"


def _own_score_text(result: CaseResult) -> str:
    """Return the nDCG@k and its floor, or why the case has no score.

    Example: `nDCG@10 0.764, at least 0.500`.
    """
    name = result.metric.text
    score = result.score
    if score is None:
        return f"{name} is not defined: no judged document is relevant"
    digits = _score_digits(result)
    floor = result.conditions.floor
    expected = "no floor" if floor is None else f"at least {floor:.{digits}f}"
    before = None if result.baseline is None else result.baseline.score
    change = change_text(score, before)
    return f"{name} {score:.{digits}f}, {expected}{change}"


# --- what unjudged results leave open -------------------------------------------------


def interval_text(result: CaseResult) -> str:
    """Return between which scores nDCG@k lies, whatever grades unjudged results get.

    Example: `nDCG@10 lies between 0.287 and 0.641`. "" if all results in the top k are
    judged, if the case has a known item or no interval, or if the settings are not
    `ideal: judged` and `unjudged: zero`.
    """
    settings = result.conditions.settings
    evaluation = result.evaluation
    lower, upper = result.interval
    is_usual = settings.ideal == "judged" and settings.unjudged == "zero"
    is_certain = evaluation.judged == evaluation.top or result.is_known_item
    if lower is None or not is_usual or is_certain:
        return ""
    digits = _score_digits(result)
    ends = f"{lower:.{digits}f} and {upper:.{digits}f}"
    return f"{result.metric.text} lies between {ends}"


def ties_text(result: CaseResult) -> str:
    """Return between which scores nDCG@k lies, in whatever order equal scores are.

    Example: `between 0.748 and 1.000 by the order of equal scores`. The text begins
    with `at least` if results that were not returned may have the same score. "" if the
    order does not decide whether the case meets its floor.
    """
    if not result.depends_on_ties:
        return ""
    evaluation = result.evaluation
    digits = _score_digits(result)
    ends = f"{evaluation.ties_lower:.{digits}f} and {evaluation.ties_upper:.{digits}f}"
    least = "at least " if evaluation.ties_may_go_on else ""
    return f"{least}between {ends} by the order of equal scores"


def open_text(result: CaseResult) -> str:
    """Return which grades can settle whether a case got worse, or "" if none can.

    Example: `needs grades: judge sku-7 to be sure`.
    """
    documents = stake_of(result).fewest
    if not documents:
        return ""
    named = listed([harmless(document) for document in documents], "and")
    return f"{NEEDS_GRADES}: judge {named} to be sure"


# --- the sums below the ranking -------------------------------------------------------


def total_lines(result: CaseResult, found: Breakdown, columns: int) -> list[Line]:
    """Return the sums of nDCG@k and its settings, as one line or two.

    Example: `DCG 4.631 / ideal DCG 6.131 = nDCG@5 0.755     gain exponential, ...`.
    """
    conditions = result.conditions
    depth = conditions.depth if conditions.is_depth_set else None
    settings = settings_text(conditions.settings, depth)
    name = result.metric.text
    if result.score is None:
        parts = [f"{name} is not defined: no judged document is relevant", settings]
        return wrapped("", parts, columns, _BEFORE_SETTINGS)
    sums = "nothing relevant was returned: "
    if found.ideal_dcg:
        dcg, ideal = total_text(found.dcg), total_text(found.ideal_dcg)
        sums = f"DCG {dcg} / ideal DCG {ideal} = "
    score = f"{name} {result.score:.{_score_digits(result)}f}"
    first: Line = ((sums, PLAIN), (score, STATUSES[result.verdict]))
    room = columns - len(sums) - len(score) - len(_BEFORE_SETTINGS)
    if display_width(settings) <= room:
        return [(*first, (f"{_BEFORE_SETTINGS}{settings}", PLAIN))]
    below = folded_lines(f"  {settings}", columns=columns, indent="  ")
    return [first, *below]
