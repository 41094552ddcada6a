import { z } from 'zod'
import { isUploadName, maxUploadBytes } from '../../domain/upload-name.ts'
import { uploadDirectory } from '../../shared/upload-directory.ts'
import type { ToolSpec } from './tool-spec.ts'

const prefix = `${uploadDirectory}/`

/** `uploads/` followed by a name that is safe as one path segment. */
function isUploadPath(path: string): boolean {
  return path.startsWith(prefix) && isUploadName(path.slice(prefix.length))
}

/** CHAT-07: stores a user's file in the workspace. Never shown to a model, which cannot call it. */
export const putFileTool: ToolSpec = {
  name: 'put_file',
  description: 'Puts a file that a person sent into the workspace, never over another one.',
  kind: 'edit',
  does: 'store',
  schema: z.strictObject({
    path: z.string().refine(isUploadPath).describe('Where; if that is taken, with a number.'),
    bytes: z.int().nonnegative().max(maxUploadBytes),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('Of the content, which travels beside the arguments.'),
  }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'box',
  timeoutMs: 60_000,
  ruledBy: { kind: 'paths' },
  paths: [{ argument: 'path', use: 'write', isFile: true }],
  ruledAs: 'write',
  carriesFile: true,
  isForPeople: true,
}

/**
 * Reads the saved path from the box's output, which may have a remark on its snapshot first; undefined for other output or an
 * untrustworthy path.
 */
export function readPut(output: string): string | undefined {
  const path = /^Saved (.{1,400}) \(\d{1,9} bytes\)$/mu.exec(output)?.[1]
  return path !== undefined && isUploadPath(path) ? path : undefined
}
