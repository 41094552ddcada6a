import type { Db, ToolCallRow } from '../../db/schema.ts'
import { findContentOfCall } from '../../db/upload/unread-uploads.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import type { CallToSign } from './sign-call.ts'

/** CHAT-07: the bytes that travel beside a call's arguments, where there are any; `gone`: they are not kept any more. */
export async function contentOf(
  db: Db,
  { carriesFile }: ToolSpec,
  { id }: Pick<ToolCallRow, 'id'>,
): Promise<Pick<CallToSign, 'content'> | 'gone'> {
  if (carriesFile !== true) return {}
  const content = await findContentOfCall(db, id)
  return content === undefined ? 'gone' : { content }
}
