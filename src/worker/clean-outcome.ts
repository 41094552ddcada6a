import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { ShellEnvelope } from '../domain/tool/tool-call.ts'
import type { WebHop } from '../domain/web-hop.ts'
import type { CallOutcome, FilteredOutput } from '../rules/jobs/contract.ts'
import { boundBytes } from '../rules/output/bound-bytes.ts'
import type { Redactor } from '../rules/output/create-redactor.ts'
import { applyFilters } from '../rules/output/filters/apply-filters.ts'
import type { CompiledFilter } from '../rules/output/filters/compile-filters.ts'
import type { FoundSecret } from '../rules/output/redact-spans.ts'
import { sanitise, showControls } from '../rules/output/sanitise.ts'
import { shorten } from '../util/text/shorten.ts'
import type { WorkerToolOutcome } from './worker-tool.ts'

/** Maximum number of reported filters for one command. */
const mostRules = 32

export interface Pipeline {
  readonly redactor: Redactor
  readonly warnOfSecrets: boolean
  readonly maxOutputBytes: number
  /** Filters for command output; absent to filter nothing. */
  readonly filters?: readonly CompiledFilter[]
}

/**
 * Sanitises, redacts and bounds the output of a tool before it leaves the worker (OUT-01, OUT-08), and filters that of
 * commands (OUT-02).
 */
export function cleanOutcome(
  outcome: ExecutorOutcome | WorkerToolOutcome,
  pipeline: Pipeline,
  command?: string,
): CallOutcome {
  switch (outcome.kind) {
    case 'ok': {
      const texts = cleanTexts(outcome.output, outcome.envelope, pipeline, command)
      const { fingerprint } = outcome
      const named = fingerprint === undefined ? {} : { fingerprint }
      return { kind: 'succeeded', ...texts, ...named, ...cleanHops(outcome, pipeline) }
    }
    case 'error': {
      const { category, message } = outcome.error
      const error = { category, message: pipeline.redactor.redact(sanitise(message)).text }
      const failed = { kind: 'failed' as const, error, ...cleanHops(outcome, pipeline) }
      if (outcome.output === undefined) return failed
      return { ...failed, ...cleanTexts(outcome.output, outcome.envelope, pipeline, command) }
    }
    case 'preview':
      return cleanPreview(outcome, pipeline)
    case 'elsewhere':
      return { kind: 'elsewhere', canonical: [...outcome.canonical] }
    case 'changed':
    case 'unchanged':
      return outcome
    case 'programs':
      return { kind: 'programs', files: [...outcome.files] }
  }
}

type Interrupted = Extract<CallOutcome, { kind: 'interrupted' }>

const longestNote = 1_000

/** Cleans and shortens the note, since agents drop one that exceeds the protocol's limit. */
export function cleanInterrupted({ note }: Interrupted, { redactor }: Pipeline): Interrupted {
  if (note === undefined) return { kind: 'interrupted' }
  const clean = redactor.redact(sanitise(note)).text
  return { kind: 'interrupted', note: shorten(clean, longestNote) }
}

const longestUrl = 2_000

/** Cleans hops, whose hosts and paths are chosen by the server, and adds the number of tries (ERR-03). */
function cleanHops(
  { hops, tries }: WorkerToolOutcome,
  { redactor }: Pipeline,
): { hops?: WebHop[]; tries?: number } {
  const tried = tries === undefined ? {} : { tries }
  if (hops === undefined) return tried
  const clean = (text: string) => redactor.redact(sanitise(text)).text
  return {
    ...tried,
    hops: hops.map((hop) => ({
      ...hop,
      url: shorten(clean(hop.url), longestUrl),
      ...(hop.blocked === undefined ? {} : { blocked: clean(hop.blocked) }),
      ...(hop.error === undefined ? {} : { error: clean(hop.error) }),
    })),
  }
}

/** Neither collapses nor cuts the diff, which would hide part of the change from the approver. */
function cleanPreview(
  preview: Extract<ExecutorOutcome, { kind: 'preview' }>,
  { redactor, maxOutputBytes }: Pipeline,
): CallOutcome {
  if (Buffer.byteLength(preview.diff) > maxOutputBytes) {
    const message = 'the change is too large to be shown as a diff'
    return { kind: 'failed', error: { category: 'permanent_failure', message } }
  }
  return { ...preview, diff: redactor.redact(showControls(preview.diff)).text }
}

interface CleanTexts {
  readonly output: string
  readonly envelope?: ShellEnvelope
  readonly filtered?: FilteredOutput
}

function cleanTexts(
  output: string,
  envelope: ShellEnvelope | undefined,
  pipeline: Pipeline,
  command: string | undefined,
): CleanTexts {
  const { maxOutputBytes } = pipeline
  const redacted = redactText(output, pipeline)
  const warning = pipeline.warnOfSecrets ? warningOf(redacted.found) : ''
  // One byte for the preceding line break.
  const text = boundBytes(redacted.text, maxOutputBytes - Buffer.byteLength(warning) - 1)
  const warned = withWarning(text.text, warning)
  if (envelope === undefined) return { output: warned }
  // If everything went to one stream, it equals the output and is not redacted twice.
  const clean = (stream: string) =>
    boundBytes((stream === output ? redacted : redactText(stream, pipeline)).text, maxOutputBytes)
  const stdout = clean(envelope.stdout)
  const stderr = clean(envelope.stderr)
  const truncated = envelope.truncated || text.cut || stdout.cut || stderr.cut
  const filtered = filterOutput(warned, envelope, command, pipeline.filters ?? [])
  return {
    output: warned,
    envelope: { ...envelope, stdout: stdout.text, stderr: stderr.text, truncated },
    ...(filtered === undefined ? {} : { filtered }),
  }
}

function redactText(text: string, { redactor }: Pipeline) {
  return redactor.redact(sanitise(text))
}

const mostNamed = 10

function withWarning(text: string, warning: string): string {
  if (warning === '') return text
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${warning}`
}

function warningOf(found: readonly FoundSecret[]): string {
  if (found.length === 0) return ''
  const named = found.slice(0, mostNamed).map(({ kind, line }) => `${kind} (line ${line})`)
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : ''
  return `[secrets were redacted: ${named.join(', ')}${more}]`
}

/** OUT-02…06: filters a command's redacted output; undefined if no filter applies. */
function filterOutput(
  output: string,
  envelope: ShellEnvelope | undefined,
  command: string | undefined,
  filters: readonly CompiledFilter[],
): FilteredOutput | undefined {
  if (command === undefined || envelope === undefined) return undefined
  const filtered = applyFilters(filters, output, { command, exitCode: envelope.exit_code })
  if (filtered === undefined) return undefined
  return {
    ...(filtered.text === output ? {} : { text: filtered.text }),
    rules: filtered.rules.slice(0, mostRules),
    confidence: filtered.confidence,
    linesBefore: filtered.linesBefore,
    linesAfter: filtered.linesAfter,
  }
}
