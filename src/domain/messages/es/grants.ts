import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { counted } = createFormat('es')

export const grants: Catalogue['grants'] = {
  none: 'Ese permiso no existe.',
  noNumber: ({ number }) => `No hay ningún permiso ${number} en vigor.`,
  noRule: ({ number }) => `No existe la regla w${number}. /grants las lista.`,
  ended: 'Ese permiso ya ha terminado.',
  revoked: ({ number, tool }) =>
    `Permiso ${number} (${tool}) revocado; las llamadas similares vuelven a preguntar.`,
  ownerOnly: ({ owner }) => `Solo ${owner} o alguien que pueda aprobar puede revocarlo.`,
  approversOnly: 'Solo quien puede aprobar u opera el bot puede revocar lo que vale para todos.',
  ruleBeingRemoved: ({ number }) => `Se está quitando la regla w${number}.`,
  ruleRemoved: ({ number, tool, worker }) =>
    `Regla w${number} (${tool}) del worker ${worker} quitada; las llamadas similares vuelven a preguntar.`,
  rulesDamaged: ({ worker }) =>
    `Las reglas del worker ${worker} están dañadas, así que toda llamada pregunta. Lo que «Siempre» escribió en ellas se podrá listar y quitar cuando se reparen.`,
  usage: 'Uso: /grants, o /revoke n con un número de /grants',

  noneInSession: 'En esta sesión no hay permisos en vigor.',
  noneOfYours: 'No tienes permisos en vigor en esta sesión.',
  ofSession: ({ number }) => `Permisos de esta sesión; /revoke ${number} revoca el primero:`,
  yours: ({ number }) => `Tus permisos en esta sesión; /revoke ${number} revoca el primero:`,
  noRules: ({ worker }) => `«Siempre» no ha escrito reglas para el worker ${worker}.`,
  rules: ({ worker, number }) =>
    `Reglas que «Siempre» escribió para todos, worker ${worker}; /revoke w${number} quita la primera:`,
  until: ({ time }) => `hasta ${time}`,
  usesLeft: ({ count }) => counted(count, 'uso restante', 'usos restantes'),
  untilClear: 'hasta /clear',
  forTurn: 'en este turno',
  forWhom: ({ name }) => `para ${name}`,
  grantedBy: ({ name, time }) => `por ${name}, ${time}`,
}
