import type { TreeEntry } from '../../domain/workspace-tree.ts'
import { fail } from '../refusal.ts'
import { namesIn, shown } from './beneath.ts'
import { numberIn, textIn } from './fields.ts'

/** What a workspace is to hold: entries by their names, by the path of the folder they stand in (`''`: the workspace). */
export type WantedTree = ReadonlyMap<string, ReadonlyMap<string, TreeEntry>>

/** Ends the call when one leads out of the workspace, or stands in what is no folder. */
export function toWantedTree(list: readonly Readonly<Record<string, unknown>>[]): WantedTree {
  const folders = new Map<string, Map<string, TreeEntry>>([['', new Map()]])
  for (const fields of list) {
    const entry = toEntry(fields)
    const names = namesIn(entry.path)
    const name = names.pop() ?? ''
    const folder = folders.get(names.join('/'))
    if (folder === undefined)
      fail('invalid_parameters', `${shown(entry.path)}: its folder is missing`)
    folder.set(name, entry)
    if (entry.kind === 'directory') folders.set(entry.path, new Map())
  }
  return folders
}

function toEntry(fields: Readonly<Record<string, unknown>>): TreeEntry {
  const path = textIn(fields, 'path')
  const kind = textIn(fields, 'kind')
  if (kind === 'directory') return { kind, path, mode: numberIn(fields, 'mode') }
  if (kind === 'link') return { kind, path, target: textIn(fields, 'target') }
  if (kind === 'other') return { kind, path }
  if (kind !== 'file') fail('invalid_parameters', 'kind: not known')
  return {
    kind,
    path,
    mode: numberIn(fields, 'mode'),
    size: numberIn(fields, 'size'),
    mtimeUs: numberIn(fields, 'mtimeUs'),
    stamp: textIn(fields, 'stamp'),
  }
}
