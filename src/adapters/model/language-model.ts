import type { AnthropicProvider } from '@ai-sdk/anthropic'

/** The AI SDK's model interface (version 4), taken from one provider's types; all our providers implement it. */
export type LanguageModel = ReturnType<AnthropicProvider['languageModel']>

export type CallOptions = Parameters<LanguageModel['doStream']>[0]
export type Prompt = CallOptions['prompt']
export type PromptMessage = Prompt[number]
export type AssistantPart = Extract<PromptMessage, { role: 'assistant' }>['content'][number]
export type FunctionTool = Extract<
  NonNullable<CallOptions['tools']>[number],
  { readonly type: 'function' }
>
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

type Stream = Awaited<ReturnType<LanguageModel['doStream']>>['stream']
export type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never
export type FinishPart = Extract<StreamPart, { type: 'finish' }>
