import { z } from 'zod'

const Table = z.object({ name: z.string().min(1), columns: z.array(z.string().min(1)).min(1) })

/** `manifest.json`, the first entry of a backup. */
export const Manifest = z.object({
  format: z.literal('countersign-backup'),
  version: z.literal(1),
  /** ISO time at which the database was read. */
  made_at: z.iso.datetime(),
  /** Version of the program that made it. */
  program: z.string(),
  /** True if nothing else used the database meanwhile. */
  quiet: z.boolean(),
  /** Migrations of the database, in order. */
  steps: z.array(z.string()),
  tables: z.array(Table),
  sequences: z.record(z.string(), z.string().regex(/^-?\d+$/)),
  audit_months: z.array(z.string().regex(/^\d{4}-\d\d-01$/)),
  /** Named workspaces with their original paths; `included` is the name below `data/named-workspaces`. */
  named_workspaces: z
    .array(z.object({ path: z.string(), included: z.string().optional() }))
    .default([]),
})
export type Manifest = z.infer<typeof Manifest>
export type NamedWorkspace = Manifest['named_workspaces'][number]

/** `end.json`, the last entry. */
export const End = z.object({
  /** Digest of every byte of the tar file before this entry, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  rows: z.record(z.string(), z.int().nonnegative()),
  files: z.int().nonnegative(),
})
export type End = z.infer<typeof End>

/** Directory of the data directory with copies of workspaces named by `--workspace` or `[worker] workspace`. */
export const namedWorkspaces = 'named-workspaces'

/** Parts of the data directory that a backup may contain. */
export const dataParts = ['workers', 'workspaces', 'snapshots', 'journal', namedWorkspaces] as const
