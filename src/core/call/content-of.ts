import type { Db, ToolCallRow } from '../../db/schema.ts'
import { findContentOfCall } from '../../db/upload/unread-uploads.ts'
import { putFileTool } from '../../rules/tools/put-file.ts'
import type { CallToSign } from './sign-call.ts'

/** CHAT-07: the bytes that travel beside a call's arguments, where there are any; `gone`: they are not kept any more. */
export async function contentOf(
  db: Db,
  { id, tool }: Pick<ToolCallRow, 'id' | 'tool'>,
): Promise<Pick<CallToSign, 'content'> | 'gone'> {
  if (tool !== putFileTool.name) return {}
  const content = await findContentOfCall(db, id)
  return content === undefined ? 'gone' : { content }
}
