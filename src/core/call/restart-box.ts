import type { ConversationRow, SessionRow } from '../../db/schema.ts'
import { signJob } from '../../rules/jobs/sign.ts'
import { newId } from '../../util/new-id.ts'
import type { Effects } from '../kernel/transact.ts'
import type { CallKernel } from './call-kernel.ts'

/**
 * Has the conversation's box restarted once its calls have ended, so that nothing a command left behind goes on
 * (DECISIONS 1). A signal like a cancel: lost, the box ends when it has been idle for long enough.
 */
export function restartBox(
  kernel: CallKernel,
  after: Effects,
  conversation: ConversationRow,
  session: SessionRow,
  callerId: string,
): void {
  const id = newId()
  const signed = signJob(
    kernel.signer,
    {
      type: 'restart',
      callId: id,
      turnId: id,
      epoch: 0,
      attempt: 1,
      worker: session.worker,
      conversation: conversation.id,
      tool: 'box',
      workspaceId: conversation.id,
      rules: {
        workspace: '/',
        allowed: [],
        denyRead: [],
        allowRead: [],
        denyByRule: [],
        masked: [],
      },
      judged: [],
      timeoutMs: 1,
      network: false,
      caller: callerId,
    },
    '{}',
    Math.floor(Date.now() / 1000),
  )
  after.sendCancel(id, signed)
}
