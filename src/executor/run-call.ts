import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import { runBash } from './bash/run-bash.ts'
import type { Call } from './call.ts'
import { clearSetuid } from './clear-setuid.ts'
import { diagnostics } from './diagnostics/diagnostics.ts'
import { errnoOf, failByErrno } from './files/errno.ts'
import { copyPath } from './files/tools/copy-path.ts'
import { createDirectory } from './files/tools/create-directory.ts'
import { deletePath } from './files/tools/delete-path.ts'
import { editFile } from './files/tools/edit-file.ts'
import { listDirectory } from './files/tools/list-directory.ts'
import { movePath } from './files/tools/move-path.ts'
import { putFile } from './files/tools/put-file.ts'
import { readFile } from './files/tools/read-file.ts'
import { writeFile } from './files/tools/write-file.ts'
import { Refusal } from './refusal.ts'
import { runUnlessKnown } from './run-unless-known.ts'
import { findPath } from './search/find-path.ts'
import { grep } from './search/grep.ts'
import { putPieces } from './snapshots/put-pieces.ts'
import { readPieces } from './snapshots/read-pieces.ts'
import { restoreTree } from './snapshots/restore-tree.ts'
import { surveyWorkspace } from './snapshots/survey.ts'

const tools: ReadonlyMap<string, (call: Call) => Promise<ExecutorOutcome>> = new Map([
  ['bash', runBash],
  ['read', readFile],
  ['write', writeFile],
  ['edit', editFile],
  ['list_directory', listDirectory],
  ['create_directory', createDirectory],
  ['move_path', movePath],
  ['copy_path', copyPath],
  ['delete_path', deletePath],
  ['find_path', findPath],
  ['grep', grep],
  ['diagnostics', diagnostics],
  ['put_file', putFile],
  // The worker's own, which no model can call: their names are no names of tools.
  ['snapshot:survey', surveyWorkspace],
  ['snapshot:read', readPieces],
  ['snapshot:restore', restoreTree],
  ['snapshot:put', putPieces],
])

/** Carries out one call. Never rejects: whatever happens, there is one outcome (REG-06). */
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
    if (commands.has(call.request.tool)) await clearSetuid(call.surroundings, call.request.rules)
  }
}

/** Those that start programs of a person's or a project's choice. */
const commands: ReadonlySet<string> = new Set(['bash', 'diagnostics'])

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
