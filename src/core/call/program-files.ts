import type { ToolCallRow } from '../../db/schema.ts'
import type { ProgramFile } from '../../domain/tool/program-file.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { sha256 } from '../../util/sha256.ts'
import { readVerdict } from '../stored.ts'

/** APPR-24: the files of the workspace that a judged call runs, absolute in the box. */
export function programsOf(call: Pick<ToolCallRow, 'verdict'>): readonly string[] {
  return readVerdict(call).programs ?? []
}

/** One digest for all files that a call runs; an executor makes it in the same way before it starts the call. */
export function programsDigest(files: readonly ProgramFile[]): string {
  return sha256(files.map((file) => (file.kind === 'file' ? file.sha256 : file.kind)).join('\n'))
}

/** The lines that name them on a card; empty where none of the files is there. */
export function describePrograms(
  programs: readonly string[],
  files: readonly ProgramFile[],
): readonly string[] {
  return programs.flatMap((path, at) => {
    const file = files[at]
    if (file === undefined || file.kind === 'absent') return []
    return [`It runs ${makeVisible(path)}: ${describe(file)}`]
  })
}

function describe(file: Exclude<ProgramFile, { kind: 'absent' }>): string {
  if (file.kind === 'unread') return 'it cannot be read, so that nobody sees whether it changes'
  return `${file.bytes} bytes, SHA-256 ${file.sha256}; not run if it changes`
}
