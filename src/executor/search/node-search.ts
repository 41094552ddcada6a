import type { FileHandle } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import {
  bytesOf,
  type FoundLine,
  type LineQuery,
  type LineSearch,
  maxLineBytes,
} from './line-search.ts'

/**
 * Searches with Node alone, in a separate thread, with the linear engine if Node was started with
 * `--enable-experimental-regexp-engine` and supports the pattern; ended when `signal` aborts.
 */
export function createNodeSearch(pattern: string, signal: AbortSignal): LineSearch {
  // The function's source is the whole program, so that no second file is needed in the box.
  const worker = new Worker(`(${searchLines.toString()})()`, {
    eval: true,
    workerData: { pattern, maxLineBytes },
  })
  const failed = new Promise<never>((_resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the search thread has ended')))
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
  failed.catch(() => undefined)
  return {
    candidates: async () => undefined,
    search: (files, query) => Promise.race([searchFiles(worker, files, query), failed]),
    close: async () => void (await worker.terminate()),
  }
}

async function searchFiles(
  worker: Worker,
  files: readonly FileHandle[],
  query: LineQuery,
): Promise<FoundLine[][]> {
  const found: FoundLine[][] = []
  const { context } = query
  let { limit, maxBytes } = query
  for (const file of files) {
    const isDone = limit <= 0 || maxBytes <= 0
    const lines = isDone ? [] : await ask(worker, { fd: file.fd, context, limit, maxBytes })
    limit -= lines.filter((line) => line.isMatch).length
    maxBytes -= bytesOf(lines)
    found.push(lines)
  }
  return found
}

function ask(worker: Worker, question: object): Promise<FoundLine[]> {
  return new Promise((resolve) => {
    worker.once('message', (lines: FoundLine[]) => resolve(lines))
    worker.postMessage(question)
  })
}

interface Question {
  readonly fd: number
  readonly context: number
  readonly limit: number
  readonly maxBytes: number
}

/**
 * Program of the search thread: answers each question with the lines of that file. It is passed as source text and runs
 * by itself, so it must not refer to anything outside, nor call "require", which a bundle would rename. Only the first
 * MiB of a line counts.
 */
function searchLines(): void {
  const { readSync } = process.getBuiltinModule('node:fs')
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const { pattern, maxLineBytes } = workerData as { pattern: string; maxLineBytes: number }
  const expression = compile()

  parentPort?.on('message', (question: Question) => parentPort.postMessage(search(question)))

  function compile(): RegExp {
    try {
      return new RegExp(pattern, 'l')
    } catch {
      return new RegExp(pattern)
    }
  }

  function search({ fd, context, limit, maxBytes }: Question): FoundLine[] {
    const found: FoundLine[] = []
    const before: FoundLine[] = []
    let matches = 0
    let after = 0
    let number = 0
    let room = maxBytes
    const keep = (...lines: FoundLine[]): void => {
      found.push(...lines)
      for (const { text } of lines) room -= text.length + 16
    }
    const take = (bytes: Buffer): boolean => {
      const text = bytes.toString('utf8').replace(/\r$/, '')
      const isMatch = matches < limit && expression.test(text)
      const shown = bytes.length > maxLineBytes ? bytes.toString('utf8', 0, maxLineBytes) : text
      const line = { line: ++number, text: shown, isMatch }
      if (isMatch) {
        matches++
        after = context
        keep(...before.splice(0), line)
      } else if (after > 0) {
        after--
        keep(line)
      } else if (context > 0) {
        before.push(line)
        if (before.length > context) before.shift()
      }
      return room > 0 && (matches < limit || after > 0)
    }
    forEachLine(fd, take)
    return found
  }

  /** Calls `take` with each line until it returns false. */
  function forEachLine(fd: number, take: (line: Buffer) => boolean): void {
    const maxKept = 1024 * 1024
    const chunk = Buffer.alloc(256 * 1024)
    let rest = Buffer.alloc(0)
    for (let at = 0; ; ) {
      const length = readSync(fd, chunk, 0, chunk.length, at)
      if (length === 0) break
      at += length
      const bytes = chunk.subarray(0, length)
      let from = 0
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
        const part = bytes.subarray(from, end)
        if (!take(rest.length === 0 ? part : Buffer.concat([rest, part]))) return
        rest = Buffer.alloc(0)
        from = end + 1
      }
      if (rest.length < maxKept) rest = Buffer.concat([rest, bytes.subarray(from)])
    }
    if (rest.length > 0) take(rest)
  }
}
