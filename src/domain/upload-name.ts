import { executableConfigNames } from '../shared/executable-config-names.ts'
import type { Messages } from './messages/messages.ts'

/** Largest file accepted from a person, in bytes: 20 MiB (CHAT-07). */
export const maxUploadBytes = 20 * 1024 * 1024

/** Heading that precedes the list of attached files in a message to the model. */
export const filesHeader = '[Files that came with this message]'

/** Limit of a name in bytes of UTF-8; file systems take 255. */
const maxNameBytes = 200

/** Limit of a name including the number that makes it unique. */
const maxNumberedNameBytes = 210

const maxExtensionBytes = 24

/** Characters of the given name that are read at all. */
const maxInputCharacters = 4_000

/**
 * Characters dropped from names: controls, bidirectional marks and other invisible characters, lone surrogates,
 * unassigned code points.
 */
const invisible =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u{115F}\u{1160}\u{3164}\u{FFA0}]|[\u{FE00}-\u{FE0F}]|[\u{E0100}-\u{E01EF}]/gu

const blanks = /[\p{Z}\u{2800}]+/gu

/** Path separators, characters that Windows refuses, and those that a shell expands within double quotes. */
const separators = /[/\\:*?"<>|`$]/gu

const separatorLookalikes = /[\u{2044}\u{2215}\u{29F8}\u{FF0F}\u{FF3C}\u{2216}\u{29F5}\u{FE68}]/gu

/** Windows device names, regardless of their extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?=$|[ .])/iu

/**
 * CHAT-07: turns the sender's file name into one safe path segment of at most 200 bytes: visible, and no command
 * option, hidden file, device name or file from which programs load commands. `.env` becomes `dot.env`, `AGENTS.md`
 * becomes `_AGENTS.md`, an empty name becomes `file`.
 */
export function toUploadName(given: string): string {
  return toNameWithin(given, maxNameBytes)
}

/** True if `toUploadName` could have made the name, optionally with a number, so that it is safe whatever its origin. */
export function isUploadName(name: string): boolean {
  return name !== '' && toNameWithin(name, maxNumberedNameBytes) === name
}

function toNameWithin(given: string, bytes: number): string {
  const visible = given
    .slice(0, maxInputCharacters)
    .normalize('NFC')
    .replace(invisible, '')
    .replace(separators, '_')
    .replace(separatorLookalikes, '_')
    .replace(blanks, ' ')
    .normalize('NFC')
  const name = fitName(visible, bytes)
  if (name === '') return 'file'
  const isSpecial =
    device.test(name) || executableConfigNames.test(name.normalize('NFKC').toLowerCase())
  return isSpecial ? fitName(`_${name}`, bytes) : name
}

function fitName(name: string, bytes: number): string {
  return withoutEdges(withinBytes(withoutEdges(name), bytes))
}

/**
 * Trims both ends. Leading dots, which hide a file, become `dot.`; a dash would make an option and `~` a home
 * directory; Windows drops trailing dots and blanks.
 */
function withoutEdges(name: string): string {
  let from = 0
  let to = name.length
  while (from < to && ' .-~'.includes(name.charAt(from))) from += 1
  while (to > from && ' .'.includes(name.charAt(to - 1))) to -= 1
  const [edge, rest] = [name.slice(0, from), name.slice(from, to)]
  return isHidden(edge, rest) ? `dot.${rest}` : rest
}

/** `..` before a replaced separator was a path upwards, not a hidden name. */
function isHidden(edge: string, rest: string): boolean {
  if (rest === '' || (edge.endsWith('..') && rest.startsWith('_'))) return false
  return edge.includes('.')
}

function withinBytes(name: string, bytes: number): string {
  if (Buffer.byteLength(name) <= bytes) return name
  const { stem, extension } = splitName(name)
  const room = bytes - Buffer.byteLength(extension)
  return `${cutBytes(stem, room)}${extension}`
}

function splitName(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? name.slice(dot) : ''
  if (extension === '' || Buffer.byteLength(extension) > maxExtensionBytes) {
    return { stem: name, extension: '' }
  }
  return { stem: name.slice(0, dot), extension }
}

function cutBytes(text: string, room: number): string {
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > room) break
    kept += character
  }
  return kept
}

/** A limit in bytes or megabytes, in words. */
export function sizeText({ inbox }: Messages, bytes: number): string {
  const megabyte = 1024 * 1024
  if (bytes < megabyte) return inbox.bytes({ count: bytes })
  return inbox.megabytes({ count: Math.floor(bytes / megabyte) })
}

/**
 * State of an uploaded file. `waiting`: to be fetched from the platform; `kept`: stored, to be put into the
 * workspace; `refused`: not available; `told`: reported in the message that it came with, whatever its result.
 */
export type UploadState = 'waiting' | 'kept' | 'refused' | 'told'
