import { z } from 'zod'
import { approvalSection, chatSection, slackSection, telegramSection } from './schema-chat.ts'
import {
  agentSection,
  budgetsSection,
  modelSection,
  modelsSection,
  pricesSection,
} from './schema-model.ts'
import {
  agentsSection,
  indexSection,
  mcpSection,
  memorySection,
  schedulerSection,
} from './schema-reach.ts'
import {
  auditSection,
  databaseSection,
  httpSection,
  limitsSection,
  loggingSection,
  queueSection,
  retentionSection,
  sandboxSection,
  workerSection,
} from './schema-runtime.ts'
import { toolsSection } from './schema-tools.ts'

/** The single source of validation, defaults, types, variable names and reference of `countersign.toml`. */
export const settingsSchema = z.strictObject({
  agent: agentSection,
  tools: toolsSection,
  model: modelSection,
  models: modelsSection,
  prices: pricesSection,
  budgets: budgetsSection,
  chat: chatSection,
  approval: approvalSection,
  telegram: telegramSection,
  slack: slackSection,
  worker: workerSection,
  sandbox: sandboxSection,
  queue: queueSection,
  database: databaseSection,
  audit: auditSection,
  retention: retentionSection,
  http: httpSection,
  logging: loggingSection,
  limits: limitsSection,
  mcp: mcpSection,
  agents: agentsSection,
  scheduler: schedulerSection,
  memory: memorySection,
  index: indexSection,
})

/** A complete configuration in the file's form, checked, with all defaults. */
export type Settings = z.output<typeof settingsSchema>
