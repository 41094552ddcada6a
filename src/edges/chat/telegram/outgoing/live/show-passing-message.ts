import { GrammyError } from 'grammy'
import { sha256 } from '../../../../../util/sha256.ts'
import { isPrivate, type Place } from '../place.ts'
import { toDelivery } from '../to-delivery.ts'
import type { LiveContext } from './live-context.ts'

/** All of it ends before the stage's claim does. */
const timeoutMs = 7_000

export interface PassingTarget {
  readonly place: Place
  readonly turnId: string
  /** Whether the turn showed as a draft so far, or did not show. */
  readonly mayDraft: boolean
  /** The passing message, where there is one already. */
  readonly messageId: string | undefined
}

export interface PassingMessage {
  readonly messageId: string | undefined
  readonly isDraft: boolean
}

/** Shows a turn's words as a draft where there are drafts (TG-05), else in a message that is edited. */
export async function showPassingMessage(
  context: LiveContext,
  target: PassingTarget,
  html: string,
): Promise<PassingMessage> {
  const signal = AbortSignal.any([context.ended, AbortSignal.timeout(timeoutMs)])
  if (await draft(context, target, html, signal)) return { messageId: undefined, isDraft: true }
  return { messageId: await write(context, target, html, signal), isDraft: false }
}

async function draft(
  context: LiveContext,
  target: PassingTarget,
  html: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { place, mayDraft, messageId, turnId } = target
  if (!context.drafts.isOffered || !mayDraft || messageId !== undefined || !isPrivate(place)) {
    return false
  }
  try {
    await context.sender.draft(place, draftIdOf(turnId), html, { signal })
    return true
  } catch (error) {
    if (!isForWantOfDrafts(error)) throw error
    if (isUnknownMethod(error)) context.drafts.isOffered = false
    return false
  }
}

/** It rings: the answer takes this message's place, and nobody hears an edit. */
async function write(
  { sender }: LiveContext,
  { place, messageId }: PassingTarget,
  html: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (messageId === undefined) return sender.send(place, html, { signal })
  try {
    await sender.edit(place, messageId, html, { signal })
    return messageId
  } catch (error) {
    if (toDelivery(error).kind !== 'refused') throw error
    return sender.send(place, html, { signal })
  }
}

/** The same for every sending of a turn, never 0. */
function draftIdOf(turnId: string): number {
  return Number.parseInt(sha256(turnId).slice(0, 7), 16) + 1
}

function isForWantOfDrafts(error: unknown): error is GrammyError {
  return error instanceof GrammyError && (error.error_code === 404 || error.error_code === 400)
}

function isUnknownMethod({ error_code, description }: GrammyError): boolean {
  return error_code === 404 || /method/i.test(description)
}
