// Node's own `spawn`, not execa: the executor is staged without packages, and a box would start 50 ms later.
import { type ChildProcess, spawn } from 'node:child_process'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Surroundings } from '../call.ts'
import { findProgram, isExecutable } from '../find-program.ts'
import {
  bytesOf,
  type FoundLine,
  type LineQuery,
  type LineSearch,
  maxLineBytes,
  SearchBroken,
} from './line-search.ts'
import { refusePattern } from './regex-class.ts'

interface RipgrepOptions {
  /** Command line without arguments. */
  readonly program: readonly string[]
  /** Pattern in ripgrep's syntax. */
  readonly pattern: string
  readonly skipped: ReadonlySet<string>
  /** Glob that ripgrep interprets the same way; it only saves work. */
  readonly glob: string | undefined
  readonly signal: AbortSignal
}

/** Options that disable everything by which ripgrep could see fewer files or other bytes. */
const commonArguments = [
  '--no-config',
  '--no-messages',
  '--color=never',
  '--text',
  '--encoding=none',
  '--crlf',
]

/** Finds ripgrep, on systems where inherited descriptors can be opened by path. */
export async function findRipgrep(surroundings: Surroundings): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const { ripgrep, path } = surroundings
  if (ripgrep !== undefined && (await isExecutable(ripgrep))) return ripgrep
  return findProgram('rg', path)
}

/**
 * Creates a search by ripgrep. It walks the tree itself only to find candidates; results come only from handles opened
 * and verified here, so links inserted meanwhile show nothing (FILE-03).
 */
export function createRipgrep(options: RipgrepOptions): LineSearch {
  return {
    candidates: (root) => listCandidates(options, root),
    search: (files, query) => searchFiles(options, files, query),
    close: async () => undefined,
  }
}

async function listCandidates(options: RipgrepOptions, root: string): Promise<string[]> {
  const found: Buffer[] = []
  const skip = [...options.skipped].map((name) => `--glob=!${name}/`)
  const include = options.glob === undefined ? [] : [`--glob=${options.glob}`]
  const args = ['--files-with-matches', '--null', '--no-ignore', '--hidden', ...include, ...skip]
  const child = start(options, [...args, '--', options.pattern, root], [])
  child.stdout?.on('data', (chunk: Buffer) => found.push(chunk))
  await finish(child, options.signal)
  return Buffer.concat(found)
    .toString()
    .split('\0')
    .filter((path) => path !== '')
}

async function searchFiles(
  options: RipgrepOptions,
  files: readonly FileHandle[],
  query: LineQuery,
): Promise<FoundLine[][]> {
  const found = files.map((): FoundLine[] => [])
  const args = ['--line-number', '--with-filename', '--null', '--no-heading', '--threads=1']
  const bounds = [`--context=${query.context}`, `--max-count=${query.limit}`]
  const paths = files.map((_file, index) => `/proc/self/fd/${index + 3}`)
  const child = start(
    options,
    [...args, ...bounds, '--no-context-separator', '--', options.pattern, ...paths],
    files.map((file) => file.fd),
  )
  let matches = 0
  let bytesFound = 0
  let isEnough = false
  const { stdout } = child
  if (stdout !== null) {
    readCappedLines(stdout as Readable, maxLineBytes + 64, (bytes) => {
      const line = parseLine(bytes)
      if (line === undefined || isEnough) return
      found[line.file]?.push(line)
      if (line.isMatch) matches += 1
      bytesFound += bytesOf([line])
      isEnough = matches > query.limit || bytesFound > query.maxBytes
      if (isEnough) child.kill('SIGKILL')
    })
  }
  await finish(child, options.signal, () => isEnough)
  return found
}

/** Parses `/proc/self/fd/7␀12:text`, with `-` after the number of a context line. */
function parseLine(bytes: Buffer): (FoundLine & { readonly file: number }) | undefined {
  const end = bytes.indexOf(0)
  const file = Number(bytes.toString('latin1', '/proc/self/fd/'.length, end)) - 3
  const head = /^(\d+)([:-])/.exec(bytes.toString('latin1', end + 1, end + 24))
  if (end === -1 || head === null) return undefined
  const text = bytes.subarray(end + 1 + head[0].length).toString()
  return { file, line: Number(head[1]), text: text.replace(/\r$/, ''), isMatch: head[2] === ':' }
}

function start(
  options: RipgrepOptions,
  args: readonly string[],
  fds: readonly number[],
): ChildProcess {
  const [file = '', ...own] = options.program
  return spawn(file, [...own, ...commonArguments, ...args], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', ...fds],
  })
}

/**
 * Waits for the end. Exit code 0: found, 1: nothing, 2 with a message about the regex: the pattern is refused.
 * `wasEnough`: it was ended by us.
 */
async function finish(
  child: ChildProcess,
  signal: AbortSignal,
  wasEnough = () => false,
): Promise<void> {
  const stop = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const complaint: Buffer[] = []
  child.stderr?.on('data', (chunk: Buffer) => {
    if (complaint.length < 16) complaint.push(chunk)
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve)
      child.once('error', reject)
    })
    signal.throwIfAborted()
    const text = Buffer.concat(complaint).toString()
    if (code === 2 && /regex|exceeds size limit/.test(text)) refusePattern(lastLine(text))
    if (!isEnd(code) && !wasEnough()) throw new SearchBroken(`ripgrep ended with ${code}`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function isEnd(code: number | null): boolean {
  return code !== null && code <= 2
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
}

/** Calls `onLine` with each line of `input`, truncated to `maxBytes`. */
function readCappedLines(input: Readable, maxBytes: number, onLine: (line: Buffer) => void): void {
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer): void => {
    const kept = part.subarray(0, Math.max(0, maxBytes - size))
    if (kept.length > 0) parts.push(kept)
    size += kept.length
  }
  const finish = (): void => {
    onLine(Buffer.concat(parts))
    parts = []
    size = 0
  }
  input.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      take(chunk.subarray(from, at))
      finish()
      from = at + 1
    }
    take(chunk.subarray(from))
  })
  input.once('end', () => {
    if (size > 0) finish()
  })
}
