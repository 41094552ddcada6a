import { z } from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import { apiBodies } from '../../../src/adapters/http/api-route.ts'
import { apiErrors } from '../../../src/domain/api-errors.ts'
import type {
  ToolApprovalRequired,
  ToolApprovalResolved,
} from '../../../src/domain/approval-event.ts'

const time = z.iso.datetime()

const required = z.object({
  type: z.literal('tool_approval_required'),
  approvalId: z.string(),
  sessionId: z.string(),
  toolName: z.string(),
  arguments: z.string(),
  number: z.int(),
  what: z.string(),
  reasons: z.array(z.string()).readonly(),
  alwaysPatterns: z.array(z.string()).readonly(),
  risk: z.enum(['low', 'medium', 'high']),
  requestedBy: z.string(),
  callerId: z.string(),
  whoMayAnswer: z.string(),
  expiresAt: time,
  warning: z.exactOptional(z.string()),
  tooLarge: z.exactOptional(z.literal(true)),
  file: z.exactOptional(
    z.object({
      name: z.string(),
      bytes: z.int(),
      lines: z.int(),
      sha256: z.string(),
      path: z.string(),
    }),
  ),
}) satisfies z.ZodType<ToolApprovalRequired>

const resolved = z.object({
  type: z.literal('tool_approval_resolved'),
  approvalId: z.string(),
  sessionId: z.string(),
  state: z.enum(['approved', 'denied', 'expired', 'cancelled', 'granted', 'superseded']),
  always: z.boolean(),
  decidedBy: z.string().nullable(),
  decidedByName: z.string().nullable(),
  decidedAt: time.nullable(),
  reason: z.string().nullable(),
}) satisfies z.ZodType<ToolApprovalResolved>

const error = z.object({
  error: z.string(),
  code: z.enum(Object.keys(apiErrors) as [keyof typeof apiErrors]),
})

const answered = z.object({ applied: z.boolean(), message: z.string() })

const schemaOf = (schema: z.ZodType) => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })

const errorsByStatus = Map.groupBy(Object.entries(apiErrors), ([, { status }]) => String(status))

/** Answers of every request besides the one that succeeds. */
const errorResponses = Object.fromEntries(
  [...errorsByStatus.keys()].map((status) => [
    status,
    { $ref: `#/components/responses/${status}` },
  ]),
)

const sharedResponses = Object.fromEntries(
  [...errorsByStatus].map(([status, codes]) => {
    const description = codes.map(([code, { meaning }]) => `${code}: ${meaning}`).join('\n')
    return [status, { description, ...json({ $ref: '#/components/schemas/Error' }) }]
  }),
)

function answer(operationId: string, summary: string, body: z.ZodType) {
  return {
    post: {
      operationId,
      summary,
      requestBody: { required: true, ...json(schemaOf(body)) },
      responses: {
        200: {
          description: 'Whether the answer counted, and why not.',
          ...json({ $ref: '#/components/schemas/Answered' }),
        },
        ...errorResponses,
      },
    },
  }
}

/** DOC-02: the HTTP API as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1), the content of `docs/reference/openapi.json`. */
export function openapiPage(): string {
  const api = {
    openapi: '3.1.1',
    info: {
      title: 'Countersign',
      version: manifest.version,
      description: 'Approvals for programs. Made from the schemas: npm run reference',
    },
    servers: [{ url: 'http://127.0.0.1:8420' }],
    security: [{ token: [] }],
    paths: {
      '/v1/events': {
        get: {
          operationId: 'followApprovals',
          summary: 'Stream of approvals that wait and end, as server-sent events.',
          responses: {
            200: {
              description: 'The data of each event is one of the two schemas, or `ready`.',
              content: {
                'text/event-stream': {
                  schema: {
                    oneOf: [
                      { $ref: '#/components/schemas/ToolApprovalRequired' },
                      { $ref: '#/components/schemas/ToolApprovalResolved' },
                    ],
                  },
                },
              },
            },
            ...errorResponses,
          },
        },
      },
      '/v1/tool/approve': answer('approve', 'Approve a call.', apiBodies.approve),
      '/v1/tool/deny': answer('deny', 'Deny a call.', apiBodies.deny),
      '/v1/tool/approvals/{approvalId}/file': {
        get: {
          operationId: 'readFile',
          summary: 'Full text of a call that does not fit into an event.',
          parameters: [
            { name: 'approvalId', in: 'path', required: true, schema: { type: 'string' } },
          ],
          responses: {
            200: { description: 'The text.', content: { 'text/plain': {} } },
            ...errorResponses,
          },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: sharedResponses,
      schemas: {
        ToolApprovalRequired: schemaOf(required),
        ToolApprovalResolved: schemaOf(resolved),
        Answered: schemaOf(answered),
        Error: schemaOf(error),
      },
    },
  }
  return `${JSON.stringify(api, undefined, 2)}\n`
}
