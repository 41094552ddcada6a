import { de } from './de/de.ts'
import { type Catalogue, en } from './en/en.ts'
import { es } from './es/es.ts'
import { type Clock, createClock, createFormat, type Format, type Language } from './language.ts'

export interface Messages extends Catalogue {
  readonly language: Language
  readonly format: Format
  /** In the zone that the messages were made for. */
  readonly clock: Clock
}

/** Why a card's approval ended without an answer. */
export type CancelReason = keyof Catalogue['cards']['cancelReasons']

/** Why a platform does not deliver a file. */
export type FileRefusal = keyof Catalogue['inbox']['fileRefusals']

const catalogues: Readonly<Record<Language, Catalogue>> = { en, de, es }

const known = new Map<string, Messages>()

/** The messages of a language, with times in a zone of the IANA database. */
export function messagesOf(language: Language, timeZone = 'UTC'): Messages {
  const key = `${language} ${timeZone}`
  const messages = known.get(key) ?? {
    ...catalogues[language],
    ...{ language, format: createFormat(language), clock: createClock(language, timeZone) },
  }
  known.set(key, messages)
  return messages
}

/** English and UTC, for what models, logs and the audit read. */
export const english = messagesOf('en')
