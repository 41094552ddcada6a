import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import { numberArgument, textArgument } from '../../arguments.ts'
import type { Call } from '../../call.ts'
import { fail } from '../../refusal.ts'
import { showName } from '../../show-text.ts'
import { assertAccess, assertJudged, createFileAccess, type FileAccess } from '../file-access.ts'
import { withMadeDirectory } from '../replace-file.ts'
import { type Draft, nameDraft, withDraft } from '../with-draft.ts'

const directoryName = 'uploads'
const mostNumbers = 1_000

/**
 * CHAT-07: writes a file from a person to `uploads/` of the workspace. Never overwrites: if the name is taken, the next
 * number is tried. The file appears complete or not at all, even after a kill. `uploads` itself must not be a link.
 */
export async function putFile(call: Call): Promise<ExecutorOutcome> {
  const { rules, judged } = call.request
  const given = textArgument(call.request, 'path')
  const name = nameOf(given)
  const bytes = contentOf(call)
  const access = await createFileAccess(rules)
  const directory = join(access.workspace, directoryName)
  assertJudged(access, judged, [join(directory, name)])
  const place = { access, given: directoryName }
  const taken = await withMadeDirectory(directory, place, (handle) =>
    withDraft({ handle, directory }, bytes, given, (draft) =>
      nameFree(call, { draft, directory, name, access }),
    ),
  )
  return { kind: 'ok', output: `Saved ${directoryName}/${taken} (${bytes.length} bytes)` }
}

/** Returns the file name; it was validated before it was signed. */
function nameOf(path: string): string {
  const [directory, name = '', ...more] = path.split('/')
  const isOne = directory === directoryName && more.length === 0 && !name.startsWith('.')
  if (!isOne || name === '' || name.includes('\0')) {
    fail('invalid_parameters', `path: expected a file right below ${directoryName}/`)
  }
  return name
}

function contentOf({ request }: Call): Buffer {
  if (request.content === undefined) fail('invalid_parameters', 'content: is missing')
  const bytes = Buffer.from(request.content, 'base64')
  const digest = createHash('sha256').update(bytes).digest('hex')
  const isWhole = bytes.length === numberArgument(request, 'bytes')
  if (!isWhole || digest !== textArgument(request, 'sha256')) {
    fail('invalid_parameters', 'content: is not what the arguments say')
  }
  return bytes
}

interface Target {
  readonly draft: Draft
  readonly directory: string
  readonly name: string
  readonly access: FileAccess
}

/** Gives the file the first free name. */
async function nameFree(call: Call, target: Target): Promise<string> {
  const { draft, directory, name, access } = target
  for (let number = 1; number <= mostNumbers; number += 1) {
    call.signal.throwIfAborted()
    const candidate = numbered(name, number)
    const shown = `${directoryName}/${candidate}`
    const canonical = join(directory, candidate)
    assertAccess(access, canonical, 'write', shown)
    if (!access.mayTouch(canonical))
      fail('policy_blocked', `${showName(shown)} is denied by a rule`)
    if (await nameDraft(draft, candidate, shown)) return candidate
  }
  return fail('permanent_failure', `${showName(name)}: too many files have this name already`)
}

/** Adds a number: `report.pdf` becomes `report-2.pdf`; hidden names keep theirs: `dot-2.env.local`. */
function numbered(name: string, number: number): string {
  if (number === 1) return name
  const dot = name.startsWith('dot.') ? 3 : name.lastIndexOf('.')
  const at = dot > 0 ? dot : name.length
  return `${name.slice(0, at)}-${number}${name.slice(at)}`
}
