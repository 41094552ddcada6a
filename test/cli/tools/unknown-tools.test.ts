import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

const environment = {
  COUNTERSIGN_SANDBOX_DRIVER: 'process',
  COUNTERSIGN_TOOLS_DEPENDENCIES_ENABLED: 'true',
  COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: '{"edit":{"requires":["raed"]}}',
}

test.each([
  ['start', 2, 'stderr'],
  ['agent', 2, 'stderr'],
  ['doctor', 1, 'stdout'],
] as const)(
  'SCH-03 countersign %s refuses a need that no tool can meet',
  async (command, exitCode, where) => {
    await using directory = await temporaryDirectory()
    const ended = await runProgram([command], { cwd: directory.path, environment })
    expect(ended.exitCode).toBe(exitCode)
    expect(ended[where]).toContain(
      '[tools.dependencies.rules.edit] requires: there is no tool "raed"; the nearest are read',
    )
  },
)

test('SCH-03 gate explain says that it cannot see what a tool needs first', async () => {
  await using directory = await temporaryDirectory()
  const rules = '{"edit":{"requires":["read"]}}'
  const { stdout } = await runProgram(['gate', 'explain', '--tool', 'edit', '--path', 'a'], {
    cwd: directory.path,
    environment: { ...environment, COUNTERSIGN_TOOLS_DEPENDENCIES_RULES: rules },
  })
  expect(stdout).toContain('whether read succeeded first ([tools.dependencies])')
})
