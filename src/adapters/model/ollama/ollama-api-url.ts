import { parseBaseUrl, withoutVersion } from '../base-url.ts'

const ownBaseUrl = 'http://127.0.0.1:11434'

/** CONF-03: where Ollama's own protocol is, whether the base URL ends with `/v1` (its OpenAI protocol), `/api`, or neither. */
export function ollamaApiUrl(baseUrl: string | undefined): string {
  const root = withoutVersion(parseBaseUrl(baseUrl || ownBaseUrl, 'OLLAMA_BASE_URL'))
  return root.endsWith('/api') ? root : `${root}/api`
}
