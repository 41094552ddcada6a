import { containerPath, isContainerCopy } from '../shell/named-paths.ts'
import { baseName } from '../shell/programs/program-name.ts'
import { opensNothing } from '../shell/programs/programs.ts'

/** Files that a command brings into the workspace from another host, a container or a store. */
export interface IncomingFiles {
  /** Names of the new files, relative to the working directory. */
  readonly names: readonly string[]
  /** The remote side chooses the names. */
  readonly isChosen: boolean
  /** The directory that receives a whole remote tree; undefined: none. */
  readonly treeInto: string | undefined
}

const nothing: IncomingFiles = { names: [], isChosen: false, treeInto: undefined }
const url = /^(?:--?[\w-]+=)?[a-z][a-z0-9+.-]*:\/\//i
const elsewhere = /^(?:[\w.@-]+:(?!\/\/)|\[[\da-f:.]+\]:|[a-z][a-z0-9+.-]*:\/\/)/i

/** Limit of addresses in one command that are examined separately. */
const maxSources = 256

/** SHELL-11: for a command that names an address (not a path) or copies out of a container. */
export function incomingFilesOf(words: readonly string[]): IncomingFiles {
  const [program = '', ...rest] = words
  const name = baseName(program).toLowerCase()
  if (opensNothing.has(name) || storesNothing(name, rest)) return nothing
  const copies = isContainerCopy(name, words)
  // The last word is the target of a copy.
  const sources = rest.flatMap((word, at) =>
    isSource(name, word) || (copies && containerPath.test(word) && at < rest.length - 1)
      ? [at]
      : [],
  )
  const isOnly = rest.filter((word) => elsewhere.test(word)).length === 1
  const kept = isNamedByOption(name, rest)
    ? []
    : sources.slice(0, maxSources).filter((at) => !isRenamed(name, rest.slice(at + 1), isOnly))
  return {
    names: [...new Set(kept.flatMap((at) => namesOf(name, rest[at] ?? '')))],
    isChosen: isChosenElsewhere(name, rest) || sources.length > maxSources,
    treeInto: copiesTree(name, rest, copies)
      ? rest.findLast((word) => !word.startsWith('-'))
      : undefined,
  }
}

/** Commands that only show or send to an address, without storing files. */
function storesNothing(name: string, rest: readonly string[]): boolean {
  if (/^curl(?:ie)?$/.test(name)) return !rest.some((word) => storesByName.test(word))
  if (/^(?:https?|xhs?)$/.test(name)) return !rest.some((word) => /^-[a-z]*d|^--down/.test(word))
  if (/^wget2?$/.test(name)) return rest.includes('--spider')
  return name === 'git' && !rest.some((word) => /^(?:clone|submodule)$/.test(word))
}

/** `-O`, `-J`, `--remote-name-all` of curl, also after other letters without values. */
const storesByName = /^-[^-AbdeEFHmPQrtuUwXxyYzCoKTDc]*[OJ]|^--remote-[nh]/

function isSource(name: string, word: string): boolean {
  return url.test(word) || (/^wget2?$/.test(name) && !word.startsWith('-'))
}

/** `wget -O x`: everything is stored there, and the word is checked like any other. */
function isNamedByOption(name: string, rest: readonly string[]): boolean {
  if (/^wget2?$/.test(name)) return rest.some((word) => /^-[a-zA-NP-Z]*O|^--output-d/.test(word))
  if (/^(?:https?|xhs?|axel)$/.test(name)) return rest.some((word) => /^-[a-z]*o|^--out/.test(word))
  return false
}

/** Whether the word after a source renames it: a clone's directory, or a last word that looks like a file. */
function isRenamed(name: string, [next, ...later]: readonly string[], isOnly: boolean): boolean {
  if (next === undefined || next.startsWith('-')) return next === '-'
  if (url.test(next) || elsewhere.test(next)) return false
  if (/^(?:git|hg|jj|svn|gh|glab)$/.test(name)) return true
  return isOnly && isFileName.test(next) && later.every((word) => word.startsWith('-'))
}

const isFileName = /[^/.][^/]*\.(?!d$)\w{1,6}$/

/** The last part of an address or path, in all forms that programs derive file names from it. */
function namesOf(name: string, word: string): readonly string[] {
  const text = word.replace(/^--?[\w-]+=/, '')
  const isWeb = /^(?:https?|ftps?):/i.test(text) || !url.test(text)
  const rest = text
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*/i, '')
    .replace(/^\w[\w./-]*:(?=\/)/, '')
  const paths = isWeb ? [rest.split(/[?#]/, 1)[0] ?? ''] : [rest, rest.split(/[?#]/, 1)[0] ?? '']
  const found = paths.flatMap((path) => {
    const parts = path.split(/[/\\]+/).filter((part) => part !== '' && part !== '.')
    const last = parts.at(-1) ?? ''
    if (!/^(?:git|hg|jj|gh|glab)$/.test(name)) return [last]
    // `.vscode.git` and `.vscode/.git` are cloned to `.vscode`.
    return [(last === '.git' ? (parts.at(-2) ?? '') : last).replace(/\.(?:git|bundle)$/i, '')]
  })
  // `;type=a` of FTP is not part of the name.
  const spelled = found.flatMap((one) => [one, decoded(one), decoded(decoded(one))])
  return spelled.flatMap((one) => [one, one.replace(/;.*/, '')]).filter(Boolean)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text.replace(/%([0-7][\da-f])/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))
  }
}

/** Options, or missing options, that let the remote side choose file names. */
function isChosenElsewhere(name: string, rest: readonly string[]): boolean {
  const has = (option: RegExp): boolean => rest.some((word) => option.test(word))
  if (/^wget2?$/.test(name)) return has(wgetChosen) && !isNamedByOption(name, rest)
  if (/^curl(?:ie)?$/.test(name))
    return (
      has(/^-[^-AbdeEFHmPQrtuUwXxyYzCoKTDc]*J|^--remote-h/) ||
      (has(storesByName) && has(/^-[a-zA-Z]*K|^--conf/))
    )
  if (/^(?:https?|xhs?|axel)$/.test(name)) return !isNamedByOption(name, rest)
  if (name === 'aria2c')
    return !has(/^-[a-zA-Z]*o|^--out=/) || has(/^-[a-zA-Z]*[iMT]|^--(?:input|metalink|torrent)/)
  if (name === 'lwp-download') return rest.filter((word) => !word.startsWith('-')).length < 2
  if (/^(?:gh|glab)$/.test(name) && rest.includes('release') && rest.includes('download'))
    return (
      !has(/^-[pOA]|^--(?:pattern|output|archive|asset-name)/) ||
      has(/^(?:--?p(?:attern)?=?)?[*?.]+$/)
    )
  if (name === 'croc') return !rest.includes('send')
  if (/^(?:wormhole|oras)$/.test(name)) return has(/^(?:receive|recv|rx|pull)$/)
  return name === 'rclone' && rest.includes('copyurl') && has(/^-[a-zA-Z]*a|^--(?:auto|header)-f/)
}

/** Recursive, with directories, from a list, or as the server answers; in a cluster up to a letter that takes a value. */
const wgetChosen =
  /^-[^-oaeitTwQPUlABRDIOX]*[rmxpie]|^--(?:recu|mirr|force-d|page-r|conte|trust|inpu|metalink|execute|config)/

const copiers: Readonly<Record<string, RegExp>> = {
  aws: /^(?:cp|mv|sync)$/,
  gsutil: /^(?:cp|mv|rsync)$/,
  gcloud: /^(?:cp|mv|rsync)$/,
  azcopy: /^(?:copy|cp|sync)$/,
  rclone: /^(?:copy|move|sync|bisync)$/,
  s3cmd: /^(?:get|sync)$/,
  s5cmd: /^(?:cp|mv|sync)$/,
  mc: /^(?:cp|mv|mirror)$/,
  mcli: /^(?:cp|mv|mirror)$/,
  rsync: /./,
  scp: /./,
}

/** Whether a command copies the content of a remote directory rather than the directory itself. */
function copiesTree(name: string, rest: readonly string[], isContainer: boolean): boolean {
  const from = rest.slice(0, -1).filter((word) => elsewhere.test(word))
  if (name === 'az') return rest.includes('download-batch')
  if (isContainer) return from.some((word) => word.endsWith('/.'))
  if (!Object.hasOwn(copiers, name) || !rest.some((word) => copiers[name]?.test(word))) return false
  if (from.some((word) => word.endsWith('*'))) return true
  const isWhole = rest.some((word) => wholeTree.test(word)) || name === 'rclone'
  const isSpread = !/^(?:rsync|scp)$/.test(name) || from.some((word) => /[/:]\.?$/.test(word))
  return from.length > 0 && isWhole && isSpread
}

const wholeTree = /^(?:sync|rsync|mirror|bisync)$|^-[a-zA-Z]*[rRa]|^--(?:recurs|archive)/
