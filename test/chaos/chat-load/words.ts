import { readFileSync } from 'node:fs'
import type { SlackStandIn } from '../../support/slack/slack.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'
import type { Waits } from './converse.ts'
import type { ChatLoad } from './run-chat-load.ts'

/** The figures of a load, for people. */
export function inWords(load: ChatLoad, telegram: TelegramStandIn, slack: SlackStandIn): string {
  return [
    `answered in ${seconds(load.answeredMs)}, all sent in ${seconds(load.quietMs)}`,
    `Telegram ${waitWords(load.telegram)}, ${callWords(telegram.calls)}`,
    `Slack ${waitWords(load.slack)}, ${callWords(slack.calls)}, ${slack.sockets.ever} sockets`,
  ].join('; ')
}

/** The most memory that a process of each role has had. */
export function mostMb(
  members: readonly { readonly role: string; readonly program: { readonly pid: number } }[],
): string {
  const roles = Map.groupBy(members, ({ role }) => role)
  return [...roles]
    .map(([role, of]) => `${role} ${Math.max(...of.map(({ program }) => peakMb(program.pid)))} MB`)
    .join(', ')
}

/** Of this process, in megabytes, since it began. */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1]) / 1024)
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0
}

function waitWords({ answers, cards, taps }: Waits): string {
  const of = (what: string, waits: readonly number[]) =>
    `${what} ${seconds(quantile(waits, 0.5))} (p50) ${seconds(quantile(waits, 0.95))} (p95)`
  return [of('message → answer', answers), of('→ card', cards), of('tap → answer', taps)].join(', ')
}

interface Call {
  readonly outcome: { readonly kind: string; readonly code?: number; readonly status?: number }
}

function callWords(calls: readonly Call[]): string {
  const busy = calls.filter(({ outcome }) => (outcome.code ?? outcome.status) === 429)
  const cut = calls.filter(({ outcome }) => outcome.kind === 'dropped' || outcome.kind === 'gone')
  return `${calls.length} calls, ${busy.length} asked to wait, ${cut.length} cut`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
