import type { FileHandle } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import { flagArgument, numberArgument, optionalText, textArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { isBinary } from '../files/current-text.ts'
import { type LocatedPath, locateOptional } from '../files/locate.ts'
import { openChecked, openFile } from '../files/open-checked.ts'
import { findProgram } from '../find-program.ts'
import { fail, Refusal } from '../refusal.ts'
import { type FoundFile, formatFound } from './format-found.ts'
import {
  bytesOf,
  type LineQuery,
  type LineSearch,
  maxFoundBytes,
  SearchBroken,
} from './line-search.ts'
import { createNameFilter } from './name-filter.ts'
import { createNodeSearch } from './node-search.ts'
import { toDialect } from './regex-dialect.ts'
import { createRipgrep, findRipgrep } from './ripgrep.ts'
import { stillSkipped, walk } from './walk.ts'

const defaultResults = 100

/** Memory limit of ripgrep in KiB; a line without an end would use as much as the file's size. */
const maxKib = 512 * 1024

/** Number of files open at once. */
const batchSize = 64

/** Implements the tool `grep` (FILE-08), with the same results with and without ripgrep. */
export async function grep(call: Call): Promise<ExecutorOutcome> {
  const query = readQuery(call)
  const place = await locateOptional(call, 'path', 'read')
  const pattern = toDialect(query.pattern, query.caseSensitive)
  const alone = () => createNodeSearch(pattern.node, call.signal)
  const search = (await createSearch(call, query, place, pattern.ripgrep)) ?? alone()
  try {
    return await searchBy(search, call, query, place)
  } catch (error) {
    if (!(error instanceof SearchBroken)) throw error
    return await searchBy(alone(), call, query, place)
  }
}

async function searchBy(
  search: LineSearch,
  call: Call,
  query: Query,
  place: LocatedPath,
): Promise<ExecutorOutcome> {
  try {
    const files = await listFiles(call, query, place, search)
    const found = await searchAll(files, search, query, call.signal)
    return { kind: 'ok', output: formatFound(found, query) }
  } finally {
    await search.close()
  }
}

/** Creates the search by ripgrep; undefined if there is none. */
async function createSearch(
  call: Call,
  query: Query,
  place: LocatedPath,
  pattern: string,
): Promise<LineSearch | undefined> {
  const program = await findRipgrep(call.surroundings)
  if (program === undefined) return undefined
  return createRipgrep({
    program: await boundedProgram(program, call.surroundings.path),
    pattern,
    skipped: skippedOf(query, place),
    glob: simpleGlob(query.glob),
    signal: call.signal,
  })
}

function skippedOf(query: Query, place: LocatedPath): ReadonlySet<string> {
  return stillSkipped(query.glob ?? '', place.given)
}

/** Returns a glob on names that ripgrep interprets the same way; otherwise undefined. */
function simpleGlob(glob: string | undefined): string | undefined {
  return glob !== undefined && /^\*\.(\w+|\{\w+(,\w+)+\})$/.test(glob) ? glob : undefined
}

/** File to search, with its displayed name. */
interface Candidate {
  readonly canonical: string
  readonly shown: string
}

/** Returns files that may match and may be shown, sorted by relative path. */
async function listFiles(
  call: Call,
  query: Query,
  place: LocatedPath,
  search: LineSearch,
): Promise<Candidate[]> {
  const root = place.canonical
  const isGiven = query.glob === undefined ? () => true : createNameFilter(query.glob, root)
  const isHere = call.request.arguments['path'] === undefined
  if (!(await isDirectory(place))) {
    return isGiven(basename(root)) ? [{ canonical: root, shown: place.given }] : []
  }
  const paths = (await search.candidates(root)) ?? (await walkFiles(call, query, place))
  return paths
    .map((canonical) => ({ canonical, path: relative(root, canonical) }))
    .filter(({ canonical, path }) => isGiven(path) && place.access.mayShow(canonical))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ canonical, path }) => ({ canonical, shown: isHere ? path : join(place.given, path) }))
}

async function isDirectory(place: LocatedPath): Promise<boolean> {
  const handle = await openChecked(place.canonical, place.given)
  try {
    const found = await handle.stat()
    if (!found.isDirectory() && !found.isFile()) {
      fail('permanent_failure', `${place.given} is neither a file nor a directory`)
    }
    return found.isDirectory()
  } finally {
    await handle.close()
  }
}

async function walkFiles(call: Call, query: Query, place: LocatedPath): Promise<string[]> {
  const options = { access: place.access, skipped: skippedOf(query, place), signal: call.signal }
  const found = await walk(place.canonical, options)
  return found.filter(({ kind }) => kind === 'file').map(({ canonical }) => canonical)
}

/** Searches in order until one match more than requested or the limit of bytes is found. */
async function searchAll(
  files: readonly Candidate[],
  search: LineSearch,
  query: Query,
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  let missing = query.maxResults + 1
  let room = maxFoundBytes
  for (let at = 0; at < files.length && missing > 0 && room > 0; at += batchSize) {
    signal.throwIfAborted()
    const results = await searchBatch(files.slice(at, at + batchSize), search, {
      context: query.context,
      limit: missing,
      maxBytes: room,
    })
    for (const { lines } of results) {
      missing -= lines.filter((line) => line.isMatch).length
      room -= bytesOf(lines)
    }
    found.push(...results)
  }
  return found
}

async function searchBatch(
  files: readonly Candidate[],
  search: LineSearch,
  query: LineQuery,
): Promise<FoundFile[]> {
  const open: { readonly handle: FileHandle; readonly shown: string }[] = []
  try {
    for (const file of files) {
      const handle = await openText(file)
      if (handle !== undefined) open.push({ handle, shown: file.shown })
    }
    if (open.length === 0) return []
    const handles = open.map(({ handle }) => handle)
    const lists = await search.search(handles, query)
    return open.map(({ shown }, index) => ({ shown, lines: lists[index] ?? [] }))
  } finally {
    await Promise.all(open.map(({ handle }) => handle.close()))
  }
}

/** Opens a text file; undefined if it is binary, or meanwhile gone, moved or forbidden. */
async function openText(file: Candidate): Promise<FileHandle | undefined> {
  try {
    const handle = await openFile(file.canonical, file.shown)
    const probe = Buffer.alloc(8192)
    const { bytesRead } = await handle.read(probe, 0, probe.length, 0)
    if (!isBinary(probe.subarray(0, bytesRead))) return handle
    await handle.close()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Returns a command line that runs `program` with a memory limit, if there is a shell to set it. */
async function boundedProgram(program: string, path: string): Promise<readonly string[]> {
  const bash = await findProgram('bash', path)
  if (bash === undefined) return [program]
  return [bash, '-c', `ulimit -c 0; ulimit -d ${maxKib}; exec "$0" "$@"`, program]
}

/** Arguments of `grep`, within their limits. */
interface Query {
  readonly pattern: string
  readonly caseSensitive: boolean
  readonly glob: string | undefined
  readonly maxResults: number
  readonly context: number
}

function readQuery(call: Call): Query {
  const { request } = call
  const maxResults = numberArgument(request, 'max_results') ?? defaultResults
  return {
    pattern: textArgument(request, 'pattern'),
    caseSensitive: flagArgument(request, 'case_sensitive') ?? true,
    glob: optionalText(request, 'glob'),
    maxResults: Math.max(1, Math.min(maxResults, 10_000)),
    context: Math.min(numberArgument(request, 'context') ?? 0, 50),
  }
}
