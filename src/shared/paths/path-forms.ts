import { posix } from 'node:path'
import { fold } from '../fold.ts'
import { hiddenNameOf, uploadDirectory } from '../upload-place.ts'

/** GATE-07: one path in every form a person could mean. */
export interface PathForms {
  readonly given: string
  /** Normalised, without a trailing slash. */
  readonly absolute: string
  /** From the workspace; `.` for the workspace itself, begins with `../` outside. */
  readonly relative: string
  readonly inWorkspace: boolean
  /** All forms and the base name, case-folded: what deny rules are tried on. */
  readonly folded: readonly string[]
  readonly foldedSegments: readonly string[]
  /** CHAT-07: folded forms of a file in `uploads` by the hidden name that its sender gave it. */
  readonly sent: readonly string[]
  /** Every name that stands between slashes in any of the folded forms. */
  readonly names: readonly string[]
}

/** `directory` is where a relative path starts; `~/` and `$HOME/` are the workspace, which is HOME in the box. */
export function toPathForms(given: string, workspace: string, directory = workspace): PathForms {
  if (isPlain.test(given) && isBelow(directory, workspace)) {
    return plainForms(given, workspace, directory)
  }
  const absolute = toAbsolute(given, workspace, directory)
  const relative = posix.relative(workspace, absolute) || '.'
  const base = posix.basename(absolute)
  const sent = sentForms(fold(relative), fold(workspace))
  const forms = [given, posix.normalize(given), absolute, relative, base]
  const folded = [...new Set([...forms.map(fold), ...sent])]
  return {
    given,
    absolute,
    relative,
    inWorkspace: isWithin(absolute, workspace),
    folded,
    sent,
    foldedSegments: fold(relative).split('/'),
    names: [...new Set(folded.flatMap((form) => form.split('/')))],
  }
}

/** A relative path that is normalised as it stands, as nearly all are. */
const isPlain = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/
const isSettled = /^(?:\/[\w-][\w.-]*)+$/

/** Whether a directory is the workspace or lies in it, both normalised. */
function isBelow(directory: string, workspace: string): boolean {
  if (!isSettled.test(directory)) return false
  return directory === workspace || (isWithin(directory, workspace) && isSettled.test(workspace))
}

function plainForms(given: string, workspace: string, directory: string): PathForms {
  const absolute = `${directory}/${given}`
  const relative = directory === workspace ? given : absolute.slice(workspace.length + 1)
  const lower = absolute.toLowerCase()
  const foldedRelative = relative.toLowerCase()
  const foldedSegments = foldedRelative.split('/')
  const folded = [foldedRelative, lower]
  if (foldedSegments.length > 1) folded.push(given.toLowerCase(), foldedSegments.at(-1) ?? '')
  const sent = sentForms(foldedRelative, workspace.toLowerCase())
  folded.push(...sent)
  return {
    given,
    absolute,
    relative,
    inWorkspace: true,
    folded,
    sent,
    foldedSegments,
    names: [...lower.split('/'), ...sent.slice(0, 1)],
  }
}

const sentPrefix = `${uploadDirectory}/dot`

/** CHAT-07: a file from a person that was called `.env` lies there as `dot.env`, and is denied by what denies `.env`. */
function sentForms(relative: string, workspace: string): readonly string[] {
  if (!relative.startsWith(sentPrefix)) return []
  const hidden = hiddenNameOf(relative.slice(uploadDirectory.length + 1))
  if (hidden === undefined || hidden.includes('/')) return []
  return [hidden, `${uploadDirectory}/${hidden}`, `${workspace}/${uploadDirectory}/${hidden}`]
}

/** Whether a directory is the workspace itself; false where its path is not normalised. */
export function isWorkspace(directory: string, workspace: string): boolean {
  return directory === workspace && isSettled.test(workspace)
}

/** Compared by segments: `/work-evil` is not within `/work`. */
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
