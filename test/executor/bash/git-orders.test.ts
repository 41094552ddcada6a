import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outputOf, startClient } from '../client.ts'

test('SHELL-11 THREAT-30 git in a box runs no hook, monitor, pager or helper that the workspace names', async () => {
  await using client = await startClient()
  const sh = async (command: string) =>
    outputOf(await client.call('bash', { command }, { timeoutMs: 30_000 }))
  await sh(`
    git init -q . && git config user.email a@b.c && git config user.name a
    for hook in pre-commit post-commit post-checkout; do
      printf '#!/bin/sh\\ntouch "$(git rev-parse --show-toplevel)/ran-hook"\\n' > .git/hooks/$hook
      chmod +x .git/hooks/$hook
    done
    printf '#!/bin/sh\\ntouch ran-monitor\\n' > monitor; chmod +x monitor
    git config core.fsmonitor "$PWD/monitor"
    git config core.pager 'touch ran-pager; cat'
    git config core.hooksPath .git/hooks`)
  await sh('echo x > a; git add a; git status; git commit -q -m one; git checkout -q -b other')
  expect(await sh('git log --oneline | wc -l')).toMatch(/^\s*1\s*$/)
  await sh('git -p log')
  for (const name of ['ran-hook', 'ran-monitor', 'ran-pager']) {
    expect([name, existsSync(join(client.workspace, name))]).toEqual([name, false])
  }
})
