import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { Tree, TreeEntry } from '../../domain/workspace-tree.ts'
import { numberArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { failByErrno } from '../files/errno.ts'
import { fail } from '../refusal.ts'
import { type Folder, inChild, inWorkspace, shown } from './beneath.ts'
import { type Masked, maskedIn } from './masked.ts'
import { Pace } from './pace.ts'
import { entryAt, namesOf } from './read-folder.ts'

/** Maximum depth of folders; deeper ones would need more open files than a process has. */
const deepest = 200

/** BASH-07: lists the workspace. Ends with an error above `maxEntries` or `maxBytes`. */
export async function surveyWorkspace(call: Call): Promise<ExecutorOutcome> {
  const { request, signal } = call
  const survey = new Survey(await maskedIn(request.rules), signal, {
    entries: numberArgument(request, 'maxEntries') ?? 0,
    bytes: numberArgument(request, 'maxBytes') ?? 0,
  })
  await inWorkspace(request.rules.workspace, (folder) => survey.visit(folder, 0, ''))
  return { kind: 'ok', output: JSON.stringify(survey.tree()) }
}

interface Bounds {
  readonly entries: number
  readonly bytes: number
}

class Survey {
  readonly #entries: TreeEntry[] = []
  #bytes = 0
  readonly #masked: Masked
  readonly #pace: Pace
  readonly #most: Bounds

  constructor(masked: Masked, signal: AbortSignal, most: Bounds) {
    this.#masked = masked
    this.#pace = new Pace(signal)
    this.#most = most
  }

  tree(): Tree {
    return { entries: this.#entries, bytes: this.#bytes }
  }

  async visit(folder: Folder, depth: number, prefix: string): Promise<void> {
    if (depth > deepest) fail('permanent_failure', `it has more than ${deepest} levels`)
    for (const name of namesOf(folder)) {
      const path = `${prefix}${name}`
      if (this.#masked.has(path)) continue
      const entry = entryAt(folder, name, path)
      if (entry === undefined) continue
      await this.#take(entry)
      if (entry.kind !== 'directory') continue
      const visit = (child: Folder) => this.visit(child, depth + 1, `${path}/`)
      await inChild(folder, name, visit).catch((error: unknown) => failByErrno(error, shown(path)))
    }
  }

  async #take(entry: TreeEntry): Promise<void> {
    this.#entries.push(entry)
    if (entry.kind === 'file') this.#bytes += entry.size
    if (this.#bytes > this.#most.bytes)
      fail('permanent_failure', `it holds more than ${this.#most.bytes} bytes`)
    const { entries } = this.#most
    if (this.#entries.length > entries)
      fail('permanent_failure', `it holds more than ${entries} files`)
    await this.#pace.step()
  }
}
