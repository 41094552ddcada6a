import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { CallOutcome } from '../../../src/rules/jobs/contract.ts'
import type { JobFacts } from '../../../src/rules/jobs/sign.ts'
import type { WorkerOptions } from '../../../src/worker/worker-options.ts'
import { createHarness } from '../worker-harness.ts'

const wide = { maxBytes: 1_000_000_000, isRequired: false }

/** One workspace at a worker whose calls are transactions. */
export async function createPlace(options: Partial<WorkerOptions> = {}) {
  const made = await createHarness()
  const worker = await made.start(options)
  const workspace = made.facts().rules.workspace
  mkdirSync(workspace, { recursive: true })
  const send = async (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    more: Partial<JobFacts> = {},
  ): Promise<string> => {
    const facts = made.facts({ tool, transaction: wide, ...more })
    await made.send(made.sign(facts, args))
    return facts.callId
  }
  const run = async (...call: Parameters<typeof send>): Promise<CallOutcome> =>
    made.outcome(await send(...call))
  return {
    made,
    worker,
    workspace,
    snapshots: join(made.root, 'snapshots'),
    send,
    run,
    bash: (command: string, more: Partial<JobFacts> = {}) => run('bash', { command }, more),
    undo: (more: Partial<JobFacts> = {}) => run('undo', {}, more),
    /** Changes the workspace without the product. */
    shell: (command: string) => execFileSync('bash', ['-c', command], { cwd: workspace }),
    tree: () => treeOf(workspace),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  }
}

export function outputOf(outcome: CallOutcome): string {
  return 'output' in outcome ? (outcome.output ?? '') : ''
}

/** State that a restored workspace must have again; names as bytes. */
function treeOf(directory: string): readonly string[] {
  const look = (folder: Buffer, prefix: string): string[] =>
    readdirSync(folder, { encoding: 'buffer' }).flatMap((name) => {
      const path = Buffer.concat([folder, Buffer.from('/'), name])
      const shown = `${prefix}${name.toString('latin1')}`
      const found = lstatSync(path)
      const mode = (found.mode & 0o7777).toString(8)
      if (found.isSymbolicLink()) return [`${shown} -> ${readlinkSync(path)}`]
      if (found.isDirectory()) return [`${shown}/ ${mode}`, ...look(path, `${shown}/`)]
      if (!found.isFile()) return [`${shown} special`]
      const content = readFileSync(path).toString('latin1')
      return [`${shown} ${mode} ${Math.floor(found.mtimeMs)} ${content}`]
    })
  return look(Buffer.from(directory), '').sort()
}
