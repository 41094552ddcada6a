import { hasTurnsInThreads } from '../../../db/turn/turn-activity.ts'
import type { CommandTransaction } from './command.ts'

const elsewhere = 'If you mean a thread, mention me there and write it again.'

/** Adds to the words that there is nothing here where it may be. */
export async function sayNothingHere(tx: CommandTransaction, words: string): Promise<string> {
  return [words, ...(await hintAtThreads(tx))].join(' ')
}

/** SLACK-01: Slack takes no command in a thread, where its turns are: who writes one beside threads is told so. */
export async function hintAtThreads(tx: CommandTransaction): Promise<readonly string[]> {
  const { db, conversation } = tx

  const { platform, external_id: place } = conversation
  if (platform !== 'slack' || place.includes('/')) return []
  return (await hasTurnsInThreads(db, platform, place)) ? [elsewhere] : []
}
