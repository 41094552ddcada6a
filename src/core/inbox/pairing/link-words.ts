import type { Caller } from '../../../domain/caller.ts'
import { platformOf } from '../../../domain/place.ts'
import { groupCode } from './pairing-code.ts'

const slackHint = 'In Slack begin with a blank.'
const titles: Readonly<Record<string, string>> = { telegram: 'Telegram', slack: 'Slack' }

/** To whoever sent a code that links accounts and did not say that they mean to: people are made to send such codes. */
export function tellUse(symbols: string): string {
  return [
    'This code links two accounts. Nothing is linked yet.',
    'With it, this account and the one that it was made for would be one person to me: whoever has that one would answer your questions as you do.',
    'Did somebody give it to you, or ask you to send it? Then stop here: they would pass for you.',
    'Did you make it yourself, by /link from your other account? Then write:',
    '',
    `/link ${groupCode(symbols)}`,
    '',
    slackHint,
  ].join('\n')
}

/** Whose account it is, and what a yes means. */
export function askToLink({ id, name }: Caller, symbols: string): string {
  const platform = platformOf(id)
  return [
    `This code was made by ${name} on ${titles[platform] ?? platform} (${id}). Is that account your own?`,
    'Linked, both are one person to me: either answers the questions of both and approves for both, and they count once. Only whoever runs this bot can end that.',
    'If it is not yours, stop here: whoever has it would pass for you. If it is, write:',
    '',
    `/link ${groupCode(symbols)} yes`,
    '',
    slackHint,
  ].join('\n')
}

export function tellLinked(maker: Caller, caller: Caller): string {
  return `Linked. ${onePerson(maker)} Whoever runs this bot can end it: ${unlinking(caller)}`
}

export function tellMakerLinked(maker: Caller, caller: Caller): string {
  return `Your code was used. ${onePerson(caller)} If that is not you, tell whoever runs this bot at once. They end it: ${unlinking(maker)}`
}

function onePerson({ id, name }: Caller): string {
  return `This account and ${name}’s (${id}) are one person to me from now on: either answers for both, they count once, and each keeps its own role.`
}

function unlinking({ id }: Caller): string {
  return `countersign pair unlink ${id}`
}
