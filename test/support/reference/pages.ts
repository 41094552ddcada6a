import { errorReference } from '../../../src/cli/error-reference.ts'
import { configReference } from '../../../src/config/reference.ts'
import { readingPage } from '../../adapters/chat/cards/readings.ts'
import { commandsPage } from './commands-page.ts'
import { metricsPage } from './metrics-page.ts'
import { openapiPage } from './openapi-page.ts'

/** Texts of the generated pages by their paths from the root of the repository. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/decisions/cards-reading.md': readingPage(),
    'docs/reference/commands.md': commandsPage(),
    'docs/reference/configuration.md': configReference(),
    'docs/reference/errors.md': errorReference(),
    'docs/reference/metrics.md': await metricsPage(),
    'docs/reference/openapi.json': openapiPage(),
  }
}
