import { assignedSecret } from './assigned-secret.ts'
import { aiRules } from './families/ai-providers.ts'
import { chatRules } from './families/chat.ts'
import { cloudRules } from './families/clouds.ts'
import { codeHostRules } from './families/code-hosts.ts'
import { fileRules } from './families/files.ts'
import { httpRules } from './families/http.ts'
import { monitoringRules } from './families/monitoring.ts'
import { registryRules } from './families/package-registries.ts'
import { paymentRules } from './families/payments.ts'
import { serviceRules } from './families/services.ts'
import { kubernetesSecret } from './kubernetes-secret.ts'
import type { SecretRule } from './secret-rule.ts'

/** OUT-08: every kind of credential that is known. Of two that begin at one place the first names it. */
export const secretRules: readonly SecretRule[] = [
  ...cloudRules,
  ...codeHostRules,
  ...chatRules,
  ...paymentRules,
  ...registryRules,
  ...monitoringRules,
  ...serviceRules,
  ...aiRules,
  ...fileRules,
  ...httpRules,
  kubernetesSecret,
  assignedSecret,
]
