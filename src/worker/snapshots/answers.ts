import { z } from 'zod'
import type { FileRules } from '../../domain/tool/file-rules.ts'
import type { FilePiece, Tree, TreeChanges } from '../../domain/workspace-tree.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { ExecutorClient } from '../box/executor-client.ts'

/** BASH-07: failure to take or restore a snapshot, with a reason for people. */
export class SnapshotFailed extends Error {
  override readonly name = 'SnapshotFailed'
}

/** Contents transferred at once: bytes, and number of files or pieces. */
export const batch = { bytes: 8 * 1024 * 1024, count: 500 } as const

/** Time limit of one service; a box that does not answer in time is killed. */
const serviceMs = 60_000

const silent = { started: () => undefined, progress: () => undefined }

const count = z.number().int().nonnegative()

/** Relative path with one character a byte, without `..` and empty segments. */
const treePath = z
  .string()
  .min(1)
  .max(4096)
  .refine(isBytewise)
  .refine((path) => path.split('/').every((name) => !['', '.', '..'].includes(name)))

const facts = {
  mode: count.max(0o7777),
  size: count,
  mtimeUs: count,
  stamp: z.string().max(200),
}

export const fileEntry = z.strictObject({ kind: z.literal('file'), path: treePath, ...facts })

/** Entries that have no content. */
export const plainEntry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('directory'), path: treePath, mode: facts.mode }),
  z.strictObject({
    kind: z.literal('link'),
    path: treePath,
    target: z.string().max(4096).refine(isBytewise),
  }),
  z.strictObject({ kind: z.literal('other'), path: treePath }),
])

const treeEntry = z.discriminatedUnion('kind', [...plainEntry.options, fileEntry])

const tree = z.strictObject({ entries: z.array(treeEntry), bytes: count })

const gone = z.strictObject({ path: treePath, isGone: z.literal(true) })

const piece = z.strictObject({
  path: treePath,
  ...facts,
  offset: count,
  content: z.base64(),
  isLast: z.boolean(),
})

const pieces = z.strictObject({ pieces: z.array(z.union([gone, piece])) })

const changes = z.strictObject({
  removed: count,
  made: count,
  modes: count,
  lost: count,
  wanted: z.array(treePath),
  named: z.array(treePath).max(100),
})

export type Piece = FilePiece | z.infer<typeof gone>

/** Threat 20: parsers for a box's answers about its workspace. They throw SnapshotFailed for anything that no executor sends. */
export const readTree = (answer: string): Tree => read(tree, answer)

export const readPieces = (answer: string): readonly Piece[] => read(pieces, answer).pieces

export const readChanges = (answer: string): TreeChanges => read(changes, answer)

function read<Schema extends z.ZodType>(schema: Schema, answer: string): z.infer<Schema> {
  const { data } = schema.safeParse(tryParseJson(answer))
  return data ?? misbehaved()
}

/** True if the text holds one character a byte, and none that a path cannot contain. */
function isBytewise(text: string): boolean {
  return !text.includes('\0') && Buffer.from(text, 'latin1').toString('latin1') === text
}

/** Throws for an answer that no executor sends (threat 20). */
export function misbehaved(): never {
  throw new SnapshotFailed('the box misbehaved')
}

/** Calls a service of the executor; returns its untrusted answer. Rejects with SnapshotFailed. */
export type AskBox = (
  service: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<string>

export function askBox(client: ExecutorClient, rules: FileRules): AskBox {
  return async (service, args, signal) => {
    const late = AbortSignal.timeout(serviceMs + 5_000)
    const request = {
      tool: service,
      arguments: args,
      rules,
      judged: [],
      timeoutMs: serviceMs,
      maxStreamBytes: 0,
      maxDiagnostics: 0,
      env: {},
    }
    const answer = await client.call(request, silent, AbortSignal.any([signal, late]))
    if (answer.kind !== 'answered') throw new SnapshotFailed('the box ended')
    const { outcome } = answer
    if (outcome.kind === 'ok') return outcome.output
    if (outcome.kind === 'error') throw new SnapshotFailed(outcome.error.message)
    return misbehaved()
  }
}
