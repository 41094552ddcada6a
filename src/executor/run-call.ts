import { stat } from 'node:fs/promises'
import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import { flagArgument, numberArgument, textArgument } from './arguments.ts'
import { assertNames } from './bash/assert-listings.ts'
import { assertUnchangedPrograms, previewPrograms } from './bash/program-files.ts'
import { refuseCommand } from './bash/refuse-command.ts'
import { runBackground } from './bash/run-background.ts'
import { runProgram } from './bash/run-program.ts'
import { toShellOutcome } from './bash/shell-outcome.ts'
import type { Call } from './call.ts'
import { clearSetuid } from './clear-setuid.ts'
import { diagnostics } from './diagnostics/diagnostics.ts'
import { errnoOf, failByErrno } from './files/errno.ts'
import { locate, locateEntries } from './files/locate.ts'
import { openDirectory } from './files/open-checked.ts'
import {
  assertBelow,
  assertMovable,
  assertNoOrders,
  assertShowable,
  copyInto,
} from './files/place-tree.ts'
import { withMadeDirectory } from './files/replace-file.ts'
import { Tally } from './files/tally.ts'
import { deletePath } from './files/tools/delete-path.ts'
import { editFile } from './files/tools/edit-file.ts'
import { listDirectory } from './files/tools/list-directory.ts'
import { movePath } from './files/tools/move-path.ts'
import { putFile } from './files/tools/put-file.ts'
import { readFile } from './files/tools/read-file.ts'
import { writeFile } from './files/tools/write-file.ts'
import { findProgram } from './find-program.ts'
import { fingerprintOf, type Look, lookAsGrep, lookAsRead, stateName } from './fingerprint-of.ts'
import { fail, Refusal } from './refusal.ts'
import { grep } from './search/grep.ts'
import { createNameFilter } from './search/name-filter.ts'
import { stillSkipped, walk } from './search/walk.ts'
import { showName } from './show-text.ts'
import { putPieces } from './snapshots/put-pieces.ts'
import { readPieces } from './snapshots/read-pieces.ts'
import { restoreTree } from './snapshots/restore-tree.ts'
import { surveyWorkspace } from './snapshots/survey.ts'

const defaultResults = 200

interface BoxTool {
  readonly run: (call: Call) => Promise<ExecutorOutcome>
  /** OUT-11: the files by whose state it is known whether a call would answer the same; absent: it cannot be known. */
  readonly look?: Look
  /** What it answers is names alone: to look whether it is the same is to make it. */
  readonly lists?: true
  /** It starts programs of a person's or a project's choice. */
  readonly startsPrograms?: true
}

/** How each tool of the box is carried out. */
const tools: ReadonlyMap<string, BoxTool> = new Map<string, BoxTool>([
  ['bash', { run: runBash, startsPrograms: true }],
  ['read', { run: readFile, look: lookAsRead }],
  ['write', { run: writeFile }],
  ['edit', { run: editFile }],
  ['list_directory', { run: listDirectory, lists: true }],
  ['create_directory', { run: createDirectory }],
  ['move_path', { run: movePath }],
  ['copy_path', { run: copyPath }],
  ['delete_path', { run: deletePath }],
  ['find_path', { run: findPath, lists: true }],
  ['grep', { run: grep, look: lookAsGrep }],
  ['diagnostics', { run: diagnostics, startsPrograms: true }],
  ['put_file', { run: putFile }],
  // The worker's own, which no model can call: their names are no names of tools.
  ['snapshot:survey', { run: surveyWorkspace }],
  ['snapshot:read', { run: readPieces }],
  ['snapshot:restore', { run: restoreTree }],
  ['snapshot:put', { run: putPieces }],
])

/** Runs one call. Never rejects: there is always exactly one outcome (REG-06). */
export async function runCall(call: Call): Promise<ExecutorOutcome> {
  const tool = tools.get(call.request.tool)
  if (tool === undefined) {
    return {
      kind: 'error',
      error: { category: 'tool_not_found', message: 'The box has no tool of this name' },
    }
  }
  try {
    return await runUnlessKnown(call, tool)
  } catch (error) {
    return toOutcome(error, call)
  } finally {
    if (tool.startsPrograms === true) await clearSetuid(call.surroundings, call.request.rules)
  }
}

function toOutcome(error: unknown, call: Call): ExecutorOutcome {
  if (error instanceof Refusal) return error.outcome
  if (call.signal.aborted) return abortedOutcome(call)
  if (errnoOf(error) !== undefined) return toErrnoOutcome(error, call.request.tool)
  const message = error instanceof Error ? error.message : 'unknown'
  return {
    kind: 'error',
    error: { category: 'permanent_failure', message: `${call.request.tool} failed: ${message}` },
  }
}

function abortedOutcome(call: Call): ExecutorOutcome {
  const isTimeout = call.signal.reason === 'timeout'
  const message = isTimeout
    ? `${call.request.tool} was ended after ${call.request.timeoutMs / 1000} s`
    : `${call.request.tool} was stopped before it ended`
  return { kind: 'error', error: { category: isTimeout ? 'timeout' : 'cancelled', message } }
}

function toErrnoOutcome(error: unknown, tool: string): ExecutorOutcome {
  try {
    return failByErrno(error, tool)
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.outcome
    throw refusal
  }
}

/** Implements the tool `create_directory`: creates a directory with its parents; succeeds if it exists. */
async function createDirectory(call: Call): Promise<ExecutorOutcome> {
  const place = await locate(call, 'path', 'write')
  const shown = showName(place.given)
  await withMadeDirectory(place.canonical, place, async () => undefined)
  return { kind: 'ok', output: `Created ${shown}` }
}

/** Implements the tool `find_path`. */
async function findPath(call: Call): Promise<ExecutorOutcome> {
  const pattern = textArgument(call.request, 'pattern')
  const maxResults = numberArgument(call.request, 'max_results') ?? defaultResults
  const place = await locate(call, 'path', 'read')
  const isWanted = createNameFilter(pattern, place.canonical)
  // Reports a problem of the directory itself, since the walk skips what it cannot open.
  await (await openDirectory(place.canonical, place.given)).close()
  const { access } = place
  const skipped = stillSkipped(pattern)
  const { signal } = call
  const entries = await walk(place.canonical, { access, skipped, isWanted, signal })
  const found = entries.map(({ relative }) => relative)
  const shown = found.sort().slice(0, maxResults).map(showName)
  if (found.length > shown.length) shown.push(`(${shown.length} of ${found.length} paths shown)`)
  return { kind: 'ok', output: shown.length === 0 ? '(nothing found)' : shown.join('\n') }
}

/**
 * OUT-11: returns `unchanged` if the files are in the known state. Otherwise runs the call and returns the fingerprint
 * taken before it: a later state has another fingerprint.
 */
async function runUnlessKnown(call: Call, { run, look, lists }: BoxTool): Promise<ExecutorOutcome> {
  const { cache } = call.request
  if (cache === undefined) return run(call)
  if (lists === true) return named(await run(call), cache.known)
  const fingerprint = await fingerprintOf(call, look)
  if (fingerprint !== undefined && fingerprint === cache.known) return { kind: 'unchanged' }
  const outcome = await run(call)
  return outcome.kind === 'ok' && fingerprint !== undefined ? { ...outcome, fingerprint } : outcome
}

/** Adds the fingerprint of an answer, or returns that it is the known one. */
function named(outcome: ExecutorOutcome, known: string | undefined): ExecutorOutcome {
  if (outcome.kind !== 'ok') return outcome
  const fingerprint = stateName([outcome.output])
  return fingerprint === known ? { kind: 'unchanged' } : { ...outcome, fingerprint }
}

/**
 * Implements the tool `copy_path` (FILE-04): copies links as links and leaves out unreadable entries of a directory, with
 * a note.
 */
async function copyPath(call: Call): Promise<ExecutorOutcome> {
  const [source, destination] = await locateEntries(call, [
    { name: 'source', uses: ['read'] },
    { name: 'destination', uses: ['write'] },
  ])
  if (source === undefined || destination === undefined) throw new Error('no places')
  const { access } = source
  const kind = await assertMovable(source, destination)
  if (kind === 'other') {
    fail('permanent_failure', `${showName(source.given)} is no file, directory or link`)
  }
  assertShowable(source)
  const { signal } = call
  const isFine = (path: string, there: string): boolean =>
    !access.mayShow(path) || access.mayTouch(there)
  if (kind === 'directory') {
    await assertBelow(source, destination, isFine, signal)
    await assertNoOrders(call, source, destination)
  }
  const copied = new Tally()
  const leftOut = new Tally()
  const mayCopy = (canonical: string): boolean => access.mayShow(canonical)
  await copyInto(source, destination, { signal, copied, leftOut, mayCopy })
  const missing =
    leftOut.total === 0 ? '' : `; left out, as it may not be read or copied: ${leftOut}`
  const output = `Copied ${showName(source.given)} to ${showName(destination.given)} (${copied}${missing})`
  return { kind: 'ok', output }
}

/** Implements the tool `bash` (BASH-01…04, -08). */
async function runBash(call: Call): Promise<ExecutorOutcome> {
  const { request, surroundings } = call
  const command = textArgument(request, 'command')
  if (command.includes('\0')) fail('invalid_parameters', 'command: must not hold a NUL character')
  const refused = refuseCommand(command, request.rules, surroundings.refuses)
  if (refused !== undefined) fail('policy_blocked', refused)
  // Only bash, since the gate parsed the command by bash's grammar and another shell may differ.
  await assertWorkspace(request.rules.workspace)
  if (request.preview === true) return previewPrograms(request)
  await assertUnchangedPrograms(request)
  const bash = await findProgram('bash', surroundings.path)
  if (bash === undefined)
    fail('permanent_failure', 'There is no bash in this box, so no command can run')
  await assertNames(call, bash)
  if (flagArgument(request, 'background') === true) return runBackground(call, bash, command)
  const program = { file: bash, args: ['-c', command], directory: request.rules.workspace }
  return toShellOutcome(await runProgram(call, program), surroundings.hasNetwork)
}

async function assertWorkspace(workspace: string): Promise<void> {
  const isThere = await stat(workspace).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isThere) fail('permanent_failure', 'The workspace directory is missing')
}
