import { de } from './de/de.ts'
import { type Catalogue, en } from './en/en.ts'
import { es } from './es/es.ts'
import { type Clock, createClock, createFormat, type Format, type Language } from './language.ts'

export interface Messages extends Catalogue {
  readonly language: Language
  readonly format: Format
  /** In UTC. */
  readonly clock: Clock
}

/** Why a card's approval ended without an answer. */
export type CancelReason = keyof Catalogue['cards']['cancelReasons']

/** Why a platform does not deliver a file. */
export type FileRefusal = keyof Catalogue['inbox']['fileRefusals']

const catalogues: Readonly<Record<Language, Catalogue>> = { en, de, es }

const known = new Map<Language, Messages>()

export function messagesOf(language: Language): Messages {
  const messages = known.get(language) ?? {
    ...catalogues[language],
    ...{ language, format: createFormat(language), clock: createClock(language) },
  }
  known.set(language, messages)
  return messages
}

/** English, for what models, logs and the audit read. */
export const english = messagesOf('en')
