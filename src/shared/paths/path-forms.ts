import { posix } from 'node:path'
import { fold } from '../fold.ts'
import { hiddenNameOf, uploadDirectory } from '../upload-directory.ts'

/** GATE-07: every form in which a rule could name one path. */
export interface PathForms {
  readonly given: string
  /** Normalised, without a trailing slash. */
  readonly absolute: string
  /** Relative to the workspace: `.` for the workspace itself, `../…` outside. */
  readonly relative: string
  readonly inWorkspace: boolean
  /** All forms and the base name, case-folded, for deny rules. */
  readonly folded: readonly string[]
  readonly foldedSegments: readonly string[]
  /** CHAT-07: folded forms of an upload under its original hidden name. */
  readonly uploadForms: readonly string[]
  /** Every segment of any of the folded forms. */
  readonly names: readonly string[]
}

/**
 * Computes all forms of `given`. Relative paths start at `directory`; `~/` and `$HOME/` are the workspace, which is
 * HOME in the box.
 */
export function toPathForms(given: string, workspace: string, directory = workspace): PathForms {
  if (isNormalisedRelative.test(given) && isBelow(directory, workspace)) {
    return plainForms(given, workspace, directory)
  }
  const absolute = toAbsolute(given, workspace, directory)
  const relative = posix.relative(workspace, absolute) || '.'
  const base = posix.basename(absolute)
  const uploadForms = uploadFormsOf(fold(relative), fold(workspace))
  const forms = [given, posix.normalize(given), absolute, relative, base]
  const folded = [...new Set([...forms.map(fold), ...uploadForms])]
  return {
    given,
    absolute,
    relative,
    inWorkspace: isWithin(absolute, workspace),
    folded,
    uploadForms,
    foldedSegments: fold(relative).split('/'),
    names: [...new Set(folded.flatMap((form) => form.split('/')))],
  }
}

/** Matches relative paths that are already normalised, as nearly all are. */
const isNormalisedRelative = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/
const isNormalisedAbsolute = /^(?:\/[\w-][\w.-]*)+$/

/** True if a directory is the workspace or lies in it, and both are normalised. */
function isBelow(directory: string, workspace: string): boolean {
  if (!isNormalisedAbsolute.test(directory)) return false
  return (
    directory === workspace ||
    (isWithin(directory, workspace) && isNormalisedAbsolute.test(workspace))
  )
}

function plainForms(given: string, workspace: string, directory: string): PathForms {
  const absolute = `${directory}/${given}`
  const relative = directory === workspace ? given : absolute.slice(workspace.length + 1)
  const lower = absolute.toLowerCase()
  const foldedRelative = relative.toLowerCase()
  const foldedSegments = foldedRelative.split('/')
  const folded = [foldedRelative, lower]
  if (foldedSegments.length > 1) folded.push(given.toLowerCase(), foldedSegments.at(-1) ?? '')
  const uploadForms = uploadFormsOf(foldedRelative, workspace.toLowerCase())
  folded.push(...uploadForms)
  return {
    given,
    absolute,
    relative,
    inWorkspace: true,
    folded,
    uploadForms,
    foldedSegments,
    names: [...lower.split('/'), ...uploadForms.slice(0, 1)],
  }
}

const uploadPrefix = `${uploadDirectory}/dot`

/** CHAT-07: an upload called `.env` is stored as `dot.env`; rules that deny `.env` must deny it too. */
function uploadFormsOf(relative: string, workspace: string): readonly string[] {
  if (!relative.startsWith(uploadPrefix)) return []
  const hidden = hiddenNameOf(relative.slice(uploadDirectory.length + 1))
  if (hidden === undefined || hidden.includes('/')) return []
  return [hidden, `${uploadDirectory}/${hidden}`, `${workspace}/${uploadDirectory}/${hidden}`]
}

/** True if a directory is the workspace itself; false if its path is not normalised. */
export function isWorkspace(directory: string, workspace: string): boolean {
  return directory === workspace && isNormalisedAbsolute.test(workspace)
}

/** Compares by segments: `/work-evil` is not within `/work`. */
export function isWithin(path: string, directory: string): boolean {
  if (!path.startsWith(directory)) return false
  return path.length === directory.length || directory === '/' || path[directory.length] === '/'
}

function toAbsolute(given: string, workspace: string, directory: string): string {
  const home = /^(?:~|\$HOME)(?=\/|$)/.exec(given)
  const from = home === null ? directory : workspace
  const path = home === null ? given : `./${given.slice(home[0].length)}`
  const absolute = posix.resolve('/', from, path)
  return absolute
}
