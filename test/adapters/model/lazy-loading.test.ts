import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const sdks = [
  '@ai-sdk/anthropic',
  '@ai-sdk/openai/',
  '@ai-sdk/openai-compatible',
  'ollama-ai-provider-v2',
]
const createModel = new URL('../../../src/adapters/model/create-model.ts', import.meta.url).href

test.each([
  ['offline', []],
  ['anthropic', ['@ai-sdk/anthropic']],
  ['openai', ['@ai-sdk/openai/', '@ai-sdk/openai-compatible']],
  ['ollama', ['ollama-ai-provider-v2']],
])('MODEL-01 loads for %s no SDK but its own', async (provider, own) => {
  const program = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
    const { createModel } = await import(${JSON.stringify(createModel)})
    await createModel({ provider: ${JSON.stringify(provider)}, name: 'm', apiKey: 'k', maxOutputTokens: 1 })
    console.log(urls.join('\\n'))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    program,
  ])
  expect(stdout).toContain('create-model.ts')
  expect(sdks.filter((sdk) => stdout.includes(`node_modules/${sdk}`))).toEqual(own)
})
