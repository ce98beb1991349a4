"""Judge the gates of case files: are the cases of a file good enough as a whole?

`judge_gates` judges them for a run when its last case has ended, for a record, and for
`merge`. A case that ended in an error fails every gate of its file.
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
from pytest_relevance.gates.kind import Finding, Reference, is_about
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
    of_case_files,
)
from pytest_relevance.results.outcomes import with_similarities
from pytest_relevance.results.records.run_info import AcceptedCase, FileInfo
from pytest_relevance.results.records.uncompared import UncomparedCase, lost_of_file


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a gate in one search variant.

    `file`: the path of its file.
    `node`: the node id of its file.
    `variant`: the search variant; None if the search has none.
    `results`: the cases that decided about the gate.
    `findings`: what the gate found.
    `not_judged`: why there is no verdict; None if there is one.
    `is_required`: whether a gate without a verdict fails, except while the baseline is
        being replaced.
    """

    file: str
    node: str
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
    def line(self) -> int:
        """Return the line of the gate in its file, from 1."""
        return self.gate.line

    @property
    def unmet(self) -> Sequence[Finding]:
        """Return the findings that are not met."""
        return [finding for finding in self.findings if not finding.is_met]

    def outcome(self) -> str:
        """Return the outcome in pytest's words: passed, failed, xfailed or skipped.

        `failed`: the gate is not met, or a required verdict is missing.
        `xfailed`: the gate is expected to fail, since it failed before.
        `skipped`: there is no verdict, and none is required.
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
    """Return the results of the gates of all files, in every search variant.

    A gate has a verdict only if all cases of its file ran or were skipped.

    `updating`: whether the baseline is being replaced.
    `require`: whether a gate without a verdict fails.
    """
    searched = of_case_files(results)
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
    """The cases of a file, by which its gates are judged.

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
            lost=_with_scores(lost_of_file(file, info, results), info.accepted),
        )

    def judge(self, *, updating: bool) -> Iterator[GateResult]:
        """Yield the result of each gate of the file in each variant."""
        for gate in self.info.gates:
            groups = self.groups
            if gate.against is not None:
                groups = _compared_variants(gate, groups)
            for variant, group in groups.items():
                judged = GateResult(
                    file=self.file,
                    node=self.info.node,
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
        if not any(is_about(gate, result.tags) for result in group):
            return replace(judged, not_judged=NoCaseFinding(gate.tag))
        deciding = []
        for result in group:
            if result.verdict in WITHOUT_SCORE or is_about(gate, result.tags):
                deciding.append(result)
        findings = _findings(gate, deciding, self._reference(judged, group))
        return replace(judged, results=deciding, findings=tuple(findings))

    def _without_variant(self, judged: GateResult) -> GateResult | None:
        """Return the result of a gate on two variants if one of them did not run.

        None if both ran. The gate fails if no search of the file has the variant. But
        if only one variant ran at all, this run may be a shard, and other shards run
        the other variants. Then the gate has no verdict.
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
            if case.variant == variant and is_about(gate, case.tags):
                lost.append(case)
        accepted = []
        for of_reference in self.info.accepted:
            if of_reference.variant in (variant, None):
                accepted.append(of_reference)
        new = []
        for result in group:
            if is_about(gate, result.tags) and self._is_new(result):
                new.append(result)
        return Reference(
            name=self.info.against,
            results=group,
            lost=lost,
            accepted=accepted,
            new=new,
            expects_known=self.info.expects_known,
        )

    def _is_new(self, result: CaseResult) -> bool:
        """Say whether the reference has no such case in this file."""
        for moved in self.info.moved:
            if (moved.id, moved.variant) == (result.id, result.variant):
                return moved.file_before != self.file
        return result.baseline is not None and result.baseline.standing == NEW


def _with_scores(
    lost: Iterable[UncomparedCase], accepted: Iterable[AcceptedCase]
) -> list[UncomparedCase]:
    """Return lost cases. A case without a result gets its scores and tags from before.

    `accepted`: the cases of the reference, as far as they are known.
    """
    by_key = {(case.id, case.variant): case for case in accepted}
    found = []
    for case in lost:
        known = by_key.get((case.id, case.variant))
        if known is not None and not case.has_result:
            case = replace(case, tags=known.tags, then=known.scores)
        found.append(case)
    return found


def _place(result: CaseResult) -> tuple[str, int, str]:
    """Return the place of a case in its files, to sort by."""
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
    cases = [result for result in results if is_about(gate, result.tags)]
    try:
        with GATES.calling(gate.condition):
            found = GATES.get_or_unknown(gate.condition).judge(gate, cases, reference)
            findings += _checked_findings(gate.condition, found)
    except ExtensionError as error:
        findings.append(UnknownFinding(gate.condition, str(error)))
    return findings


def _checked_findings(condition: str, found: Iterable[Finding]) -> list[Finding]:
    """Return the findings of a kind of gate, checked if another package has the kind.

    Raises:
        ExtensionError: something is not a finding of this kind, or cannot say whether
            the gate is met.
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

    The results of `gate.variant` are scored by how alike their rankings are to those of
    `gate.against`. Errors of both variants are among the results, since they fail the
    gate.
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
    """Return a result with the similarity of its ranking to that of the other variant.

    `other`: the result of the same case in the other variant. If it is None, there is
        no score.
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
