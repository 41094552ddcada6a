import { emitKeypressEvents } from 'node:readline'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Key } from './edit-line.ts'

export interface KeyEvents {
  key(typed: string | undefined, key: Key): void
  /** Text that came at once: pasted, with its line breaks. */
  paste(text: string): void
}

/**
 * Reads keys from a terminal in raw mode until disposed. What a terminal marks as pasted comes in one piece; so does
 * what arrives at once with a line break in its middle, which nobody typed.
 */
export function readKeys(input: Readable, events: KeyEvents): Disposable {
  const decoder = new StringDecoder('utf8')
  const keys = new Readable({ read: () => undefined })
  let pasted: string | undefined
  emitKeypressEvents(keys)
  keys.on('keypress', (typed: string | undefined, key: Key) => {
    if (key.name === 'paste-start') pasted = ''
    else if (key.name === 'paste-end') {
      if (pasted !== undefined) events.paste(pasted)
      pasted = undefined
    } else if (pasted !== undefined) pasted += key.sequence ?? typed ?? ''
    else events.key(typed, key)
  })
  const take = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk)
    if (pasted === undefined && cameAtOnce(text)) events.paste(text.replace(/[\r\n]+$/, ''))
    else if (text !== '') keys.emit('data', Buffer.from(text))
  }
  input.on('data', take)
  return {
    [Symbol.dispose]: () => {
      input.off('data', take)
      input.pause()
    },
  }
}

function cameAtOnce(text: string): boolean {
  return !text.includes('\u001b') && /[\r\n]+[^\r\n]/.test(text)
}
