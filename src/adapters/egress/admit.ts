import type { AllowedHost, EgressScheme } from '../../rules/web/egress/allowed-hosts.ts'
import { type EgressTarget, judgeAuthority } from '../../rules/web/egress/judge-authority.ts'
import { findAddresses } from '../../rules/web/find-addresses.ts'
import { lookUpHost } from '../../util/look-up-host.ts'
import type { EgressHooksForTests, Limits } from './egress-settings.ts'
import type { AskAnswer, PendingAsks } from './pending-asks.ts'
import { type Refusal, toRefusal } from './refusal.ts'

/** What all connections of a proxy share. */
export interface Egress {
  readonly list: readonly AllowedHost[]
  readonly limits: Limits
  readonly asks: PendingAsks
  readonly hooksForTests: EgressHooksForTests | undefined
}

/** Whether a connection may be made, and to which addresses. */
export type Admission =
  | {
      readonly kind: 'admitted'
      readonly target: EgressTarget
      readonly scheme: EgressScheme
      readonly addresses: readonly string[]
    }
  | { readonly kind: 'refused'; readonly target?: EgressTarget; readonly refusal: Refusal }

/**
 * Decides about `host:port`: by the list, else by the answer of a person, and last by the addresses of the name, which is looked up
 * once, and only when it may be reached. Never rejects.
 */
export async function admit(
  egress: Egress,
  authority: string,
  signal: AbortSignal,
  scheme?: EgressScheme,
): Promise<Admission> {
  const verdict = judgeAuthority(authority, egress.list, scheme)
  if (verdict.kind === 'refused')
    return { kind: 'refused', refusal: { status: 403, why: verdict.why } }
  const { target } = verdict
  if (verdict.kind === 'listed') return resolve(egress, target, verdict.scheme, signal)
  if (scheme === 'http') return refuse(target, notListedForHttp(target))
  const answer = await egress.asks.answer(target.host, target.port, signal)
  if (answer === 'allow') return resolve(egress, target, 'https', signal)
  return refuse(target, refusalOf(answer, target))
}

async function resolve(
  { limits, hooksForTests }: Egress,
  target: EgressTarget,
  scheme: EgressScheme,
  signal: AbortSignal,
): Promise<Admission> {
  const { host } = target
  // The operator listed this very address.
  if (target.isAddress) return { kind: 'admitted', target, scheme, addresses: [host] }
  const deadline = AbortSignal.timeout(limits.connectMs)
  const over = AbortSignal.any([signal, deadline])
  const lookUp = (name: string) => lookUpHost(name, over, hooksForTests?.nameServers)
  try {
    const found = await findAddresses(host, lookUp, hooksForTests?.mayReach)
    if (found.kind === 'blocked') return refuse(target, { status: 403, why: found.why })
    return { kind: 'admitted', target, scheme, addresses: found.addresses }
  } catch (error) {
    return refuse(target, toRefusal(error, host, 'lookup', deadline))
  }
}

function refuse(target: EgressTarget, refusal: Refusal): Admission {
  return { kind: 'refused', target, refusal }
}

function notListedForHttp({ host, port }: EgressTarget): Refusal {
  const why = `${host}:${port} is not in the list of hosts that may be reached without TLS`
  return { status: 403, why, advice: `Use https, or let an operator list http://${host}:${port}.` }
}

function refusalOf(answer: Exclude<AskAnswer, 'allow'>, { host, port }: EgressTarget): Refusal {
  const why = `${host}:${port} is not in the list of hosts that may be reached`
  const entry = port === 443 ? host : `${host}:${port}`
  const listIt = `An operator can list ${entry}.`
  if (answer === 'nobody') return { status: 403, why, advice: listIt }
  if (answer === 'deny') return { status: 403, why: `${why}, and a person denied it` }
  if (answer === 'late') {
    const advice = 'A person is being asked: try again later.'
    return { status: 403, why: `${why}, and nobody has answered yet`, advice }
  }
  const advice = `Try again later. ${listIt}`
  return { status: 403, why: `${why}, and too many other hosts are being asked about`, advice }
}
