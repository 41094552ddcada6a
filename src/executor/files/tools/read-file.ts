import type { FileHandle } from 'node:fs/promises'
import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import { numberArgument } from '../../arguments.ts'
import type { Call } from '../../call.ts'
import { fail } from '../../refusal.ts'
import { showName } from '../../show-text.ts'
import { maxFileBytes } from '../current-text.ts'
import { LineWindow } from '../line-window.ts'
import { locate } from '../locate.ts'
import { openFile } from '../open-checked.ts'
import { otherNames } from '../tally.ts'

const defaultLines = 2000

/** Implements the tool `read` (FILE-07): returns a window of lines in constant memory. */
export async function readFile(call: Call): Promise<ExecutorOutcome> {
  const offset = numberArgument(call.request, 'offset')
  const limit = numberArgument(call.request, 'limit')
  const column = numberArgument(call.request, 'column') ?? 0
  const place = await locate(call, 'path', 'read')
  const shown = showName(place.given)
  const handle = await openFile(place.canonical, place.given)
  try {
    const { size, nlink } = await handle.stat()
    if (size > maxFileBytes && offset === undefined && limit === undefined) {
      fail(
        'invalid_parameters',
        `${shown} has ${size} bytes; read it by window, with offset and limit`,
      )
    }
    const window = new LineWindow({
      offset: offset ?? 0,
      limit: limit ?? defaultLines,
      column,
      maxCharacters: call.request.maxStreamBytes,
    })
    // A small file is read to its end, to validate and count its last lines.
    const readsAll = size <= maxFileBytes
    const kind = await readInto(handle, window, readsAll, call.signal)
    if (kind !== 'text') fail('permanent_failure', `${shown} is ${kind} (${size} bytes), not shown`)
    const names = otherNames(nlink)
    const note = names === undefined ? '' : `\n(this file has ${names}, maybe in another place)`
    return { kind: 'ok', output: `${window.show()}${note}` }
  } finally {
    await handle.close()
  }
}

type Content = 'text' | 'a binary file' | 'not UTF-8 text'

async function readInto(
  handle: FileHandle,
  window: LineWindow,
  readsAll: boolean,
  signal: AbortSignal,
): Promise<Content> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const chunk = Buffer.alloc(64 * 1024)
  try {
    for (let at = 0; readsAll || !window.isFull; ) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) {
        window.end(decoder.decode())
        return 'text'
      }
      const bytes = chunk.subarray(0, bytesRead)
      if (bytes.includes(0)) return 'a binary file'
      window.append(decoder.decode(bytes, { stream: true }))
      at += bytesRead
    }
    return 'text'
  } catch (error) {
    if (error instanceof TypeError) return 'not UTF-8 text'
    throw error
  }
}
