"""Decide the gates of case files: are the cases of a file good enough as a whole?

`judge_gates` decides gates for a run, for a record and for `merge`. Each kind of gate
says what it finds. A case that ended in an error fails every gate of its file.

The plugin judges gates when the last case of a run has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._text import quoted, shown
from pytest_relevance.cases.model import Gate
from pytest_relevance.gates.common_findings import (
    ErrorsFinding,
    IncompleteFinding,
    NoCaseFinding,
    NoVariantFinding,
    UpdatingFinding,
)
from pytest_relevance.gates.kind import Finding, Reference
from pytest_relevance.gates.unknown import UnknownFinding
from pytest_relevance.registry import GATES, ExtensionError
from pytest_relevance.results import case_result
from pytest_relevance.results.case_parts import NEW
from pytest_relevance.results.case_result import (
    FAILED,
    PASSED,
    SKIPPED,
    WITHOUT_SCORE,
    XFAILED,
    CaseResult,
)
from pytest_relevance.results.outcomes import with_similarities
from pytest_relevance.results.records.run_info import FileInfo
from pytest_relevance.results.records.uncompared import UncomparedCase, lost_of_file


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a gate in one search variant.

    `file`, `line`: the place of the gate; lines count from 1.
    `node`: the node id of its file.
    `variant`: the search variant; None if the search has none.
    `results`: the cases that decided.
    `findings`: what the gate found.
    `not_judged`: why there is no verdict; None if there is one.
    `is_required`: whether a gate without a verdict fails, except while the baseline is
        being replaced.
    """

    file: str
    node: str
    line: int
    gate: Gate
    variant: str | None
    results: Sequence[CaseResult] = ()
    findings: Sequence[Finding] = ()
    not_judged: Finding | None = None
    is_required: bool = False

    @property
    def name(self) -> str:
        """Return the name in pytest node ids: `gate[ID]`, or `gate[ID][VARIANT]`."""
        name = f"gate[{self.gate.id}]"
        return name if self.variant is None else f"{name}[{self.variant}]"

    @property
    def unmet(self) -> Sequence[Finding]:
        """Return the findings that are not met."""
        return [finding for finding in self.findings if not finding.is_met]

    def outcome(self) -> str:
        """Return the outcome as of a test: passed, failed, xfailed or skipped.

        `xfailed`: the gate failed before, as is expected. `skipped`: there is no
            verdict, and none is required. `failed` also means that a required verdict
            is missing.
        """
        if self.not_judged is not None:
            is_updating = isinstance(self.not_judged, UpdatingFinding)
            return FAILED if self.is_required and not is_updating else SKIPPED
        if not self.unmet:
            return PASSED
        if all(finding.is_known for finding in self.unmet):
            return XFAILED
        return FAILED


def judge_gates(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    *,
    updating: bool = False,
    require: bool = False,
) -> list[GateResult]:
    """Return the results of the gates of all files, each in every search variant.

    `updating`: whether the baseline is being replaced.
    `require`: whether a gate without a verdict fails.

    A gate has a verdict only if all cases of its file ran or were skipped.
    """
    searched = [result for result in results if not result.is_check]
    by_file = case_result.grouped(searched, lambda result: result.file)
    judged: list[GateResult] = []
    for file, info in sorted(files.items()):
        if info.gates:
            of_file = _CasesOfFile.of(file, info, by_file.get(file, []))
            for gate in of_file.judge(updating=updating):
                judged.append(replace(gate, is_required=require))
    return judged


@dataclass(frozen=True, slots=True)
class _CasesOfFile:
    """The cases of a file, for its gates.

    `ran`: the results of the cases that were not skipped.
    `total`: how many cases the file has, without skipped ones.
    `groups`: by variant, the results that decide a gate in this variant.
    `lost`: the cases of the reference that are not compared.
    """

    file: str
    info: FileInfo
    ran: Sequence[CaseResult]
    total: int
    groups: Mapping[str | None, Sequence[CaseResult]]
    lost: Sequence[UncomparedCase]

    @classmethod
    def of(
        cls, file: str, info: FileInfo, results: Sequence[CaseResult]
    ) -> _CasesOfFile:
        """Return the cases of a file, made from its `results`."""
        ran = [result for result in results if result.status != SKIPPED]
        ran.sort(key=_place)
        return cls(
            file=file,
            info=info,
            ran=ran,
            total=info.total - (len(results) - len(ran)),
            groups=in_variants((variant for _, variant, _ in info.totals), ran),
            lost=lost_of_file(file, info, results),
        )

    def judge(self, *, updating: bool) -> Iterator[GateResult]:
        """Yield the result of each gate of the file in each variant."""
        for recorded in self.info.gates:
            gate = recorded.gate
            groups = self.groups
            if gate.against is not None:
                groups = _compared_variants(gate, groups)
            for variant, group in groups.items():
                judged = GateResult(
                    file=self.file,
                    node=self.info.node,
                    line=recorded.line,
                    gate=gate,
                    variant=variant,
                )
                yield self._judge_gate(judged, group, updating=updating)

    def _judge_gate(
        self, judged: GateResult, group: Sequence[CaseResult], *, updating: bool
    ) -> GateResult:
        """Return the result of a gate, with findings or with why there is no verdict.

        `group`: the results that decide the gate.
        """
        gate = judged.gate
        if len(self.ran) < self.total:
            why = IncompleteFinding(ran=len(self.ran), total=self.total)
            return replace(judged, not_judged=why)
        if gate.against is not None:
            without_variant = self._without_variant(judged)
            if without_variant is not None:
                return without_variant
        needs_reference = GATES.get_or_unknown(gate.condition).needs_reference
        if updating and (needs_reference or gate.similarities):
            return replace(judged, not_judged=UpdatingFinding())
        if not any(_looks_at(gate, result) for result in group):
            return replace(judged, not_judged=NoCaseFinding(gate.tag))
        shown = []
        for result in group:
            if result.verdict in WITHOUT_SCORE or _looks_at(gate, result):
                shown.append(result)
        findings = _findings(gate, shown, self._reference(judged, group))
        return replace(judged, results=shown, findings=tuple(findings))

    def _without_variant(self, judged: GateResult) -> GateResult | None:
        """Return the result of a gate of which a variant did not run; None if both did.

        The gate fails if no search of the file has the variant. But if only one variant
        ran at all, this run may be a shard, and other shards run the other variants.
        """
        gate = judged.gate
        variants = list(dict.fromkeys(result.variant for result in self.ran))
        lacking = {gate.variant, gate.against}.difference(variants)
        if not lacking:
            return None
        may_be_shard = len(self.groups) == 1 and None not in self.groups
        nowhere = set() if may_be_shard else lacking - self.groups.keys()
        variant = min(map(str, nowhere or lacking))
        why = NoVariantFinding(variant=variant, ran=variants)
        if nowhere:
            return replace(judged, findings=(why,))
        return replace(judged, not_judged=why)

    def _reference(self, judged: GateResult, group: Sequence[CaseResult]) -> Reference:
        """Return what a gate compares its cases with."""
        gate, variant = judged.gate, judged.variant
        lost = []
        for case in self.lost:
            is_looked_at = gate.tag is None or gate.tag in case.tags
            if case.variant == variant and is_looked_at:
                lost.append(case)
        return Reference(
            name=self.info.against,
            results=group,
            lost=lost,
            accepted=[
                case for case in self.info.accepted if case.variant in (variant, None)
            ],
            new=[
                case for case in group if _looks_at(gate, case) and self._is_new(case)
            ],
            expects_known=self.info.expects_known,
        )

    def _is_new(self, result: CaseResult) -> bool:
        """Say whether the reference has no such case in this file."""
        for moved in self.info.moved:
            if (moved.id, moved.variant) == (result.id, result.variant):
                return moved.file_before != self.file
        return result.baseline is not None and result.baseline.standing == NEW


def _place(result: CaseResult) -> tuple[str, int, str]:
    return result.origin.source or "", result.line, result.id


def _findings(
    gate: Gate, results: Sequence[CaseResult], reference: Reference
) -> list[Finding]:
    """Return what one gate finds in results.

    A case without a score fails the gate, even if the case does not have the tag of the
    gate: nobody knows what its search would have returned.
    """
    findings: list[Finding] = []
    for verdict in WITHOUT_SCORE:
        without_score = [result for result in results if result.verdict == verdict]
        if without_score:
            findings.append(ErrorsFinding(without_score))
    cases = [result for result in results if _looks_at(gate, result)]
    try:
        with GATES.calling(gate.condition):
            found = GATES.get_or_unknown(gate.condition).judge(gate, cases, reference)
            findings += _checked_findings(gate.condition, found)
    except ExtensionError as error:
        findings.append(UnknownFinding(gate.condition, str(error)))
    return findings


def _checked_findings(condition: str, found: Iterable[Finding]) -> list[Finding]:
    """Return what a kind of gate found, as a list.

    Raises `ExtensionError` if a kind of another package returned anything but findings
    that say whether they are met.
    """
    if condition in GATES.bundled_names or condition not in GATES:
        return list(found)
    GATES.check_returned(condition, "judge", found, Iterable)
    findings = list(found)
    for finding in findings:
        GATES.check_returned(condition, "judge", finding, Finding)
        kind = getattr(finding, "kind", None)
        if kind != condition:
            raise GATES.wrong(
                condition,
                f"judge returned a finding whose kind is {shown(kind)}; it has to be "
                f"{quoted(condition)}",
            )
        _ = finding.is_met, finding.is_known  # what they raise names the package here
    return findings


def _compared_variants(
    gate: Gate, groups: Mapping[str | None, Sequence[CaseResult]]
) -> dict[str | None, list[CaseResult]]:
    """Return the results that decide a gate about two variants, under the key None.

    The results of `gate.variant` are scored against the rankings of `gate.against`.
    Errors of the other variant are added, since they fail the gate too.
    """
    group = []
    others = {}
    for result in groups.get(gate.against, ()):
        if result.variant != gate.against:
            continue
        if result.verdict in WITHOUT_SCORE:
            group.append(result)
        else:
            others[result.id] = result
    for result in groups.get(gate.variant, ()):
        if result.verdict in WITHOUT_SCORE:
            group.append(with_similarities(result, gate.metrics, None))
        elif result.variant is not None:  # else it is of a search without variants
            group.append(_beside_variant(gate, result, others.get(result.id)))
    return {None: group}


def _beside_variant(
    gate: Gate, result: CaseResult, other: CaseResult | None
) -> CaseResult:
    """Return a result, scored against the ranking of its case in the other variant.

    `other`: the result in the other variant; without one there is no score.
    """
    if other is None:
        return with_similarities(result, gate.metrics, None)
    metrics = []
    for metric in gate.metrics:
        if metric.k is not None or not other.is_cut:
            metrics.append(metric)
    return with_similarities(result, metrics, other.ranking.documents)


def in_variants(
    variants: Iterable[str | None], results: Iterable[CaseResult]
) -> dict[str | None, list[CaseResult]]:
    """Return for each variant the results that decide a gate in this variant.

    A result of a search without variants counts in every variant.
    """
    names = list(dict.fromkeys(variants))
    if names != [None]:
        names = [name for name in names if name is not None]
    groups: dict[str | None, list[CaseResult]] = {name: [] for name in names}
    for result in results:
        if result.variant in groups:
            groups[result.variant].append(result)
        else:
            for group in groups.values():
                group.append(result)
    return groups


def _looks_at(gate: Gate, result: CaseResult) -> bool:
    return gate.tag is None or gate.tag in result.tags
