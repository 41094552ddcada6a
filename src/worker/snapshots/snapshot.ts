import { z } from 'zod'
import type { TreeEntry } from '../../domain/workspace-tree.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { fileEntry, plainEntry } from './answers.ts'

type FileEntry = Extract<TreeEntry, { kind: 'file' }>

/** File with the name of its content in the store. */
export type SavedFile = FileEntry & { readonly content: string }
export type SavedEntry = Exclude<TreeEntry, FileEntry> | SavedFile

/** State of a workspace at one moment. */
export interface Snapshot {
  /** Caller of the call that followed. */
  readonly caller: string
  readonly entries: readonly SavedEntry[]
}

export const contentName = /^[0-9a-f-]{36}$/

const schema = z.strictObject({
  v: z.literal(1),
  caller: z.string().max(256),
  entries: z.array(
    z.discriminatedUnion('kind', [
      ...plainEntry.options,
      fileEntry.extend({ content: z.string().regex(contentName) }),
    ]),
  ),
})

/** Parses a stored snapshot; undefined if invalid. */
export function parseSnapshot(text: string): Snapshot | undefined {
  return schema.safeParse(tryParseJson(text)).data
}

export function formatSnapshot({ caller, entries }: Snapshot): string {
  return JSON.stringify({ v: 1, caller, entries })
}

/** Returns the files of a snapshot by path; empty if there is no snapshot. */
export function filesOf(snapshot: Snapshot | undefined): ReadonlyMap<string, SavedFile> {
  const files = (snapshot?.entries ?? []).filter((entry) => entry.kind === 'file')
  return new Map(files.map((file) => [file.path, file]))
}
