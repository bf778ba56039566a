import type { Outcome } from '../../domain/alert/delivery.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { enabledByDefault, notEnabled, TO_WEBHOOK, webhookUrl } from '../kind/incoming-webhook.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { jsonCall } from '../send/json-call.ts';
import { classifyByStatus, goneForGood, jsonOf, recordOf } from '../send/reply.ts';
import { teamsMessage } from './card.ts';

const SERVER = { MSTEAMS_ENABLED: enabledByDefault('Microsoft Teams') } satisfies EnvSettingTable;

export const msteams = requestKind({
  ...TO_WEBHOOK,
  label: 'Microsoft Teams',
  summary: 'to a channel',
  description: 'Cards in a channel or a chat of Microsoft Teams, by a workflow with a webhook.',
  setup: [
    'In Teams, open the menu of the channel or chat that alerts go to, and choose **Workflows**.',
    'Pick the template **Send webhook alerts to a channel**, or the one for a chat, and add it.',
    'Copy the address that the workflow shows at the end. Its host ends with `.api.powerplatform.com` or `.logic.azure.com`.',
    'Paste the address. Whoever knows it can post there, so it is kept encrypted.',
  ],
  example: {
    url: 'https://prod-1.westeurope.logic.azure.com/workflows/0123/triggers/manual/paths/invoke?sig=a-signature',
  },
  settings: { url: webhookUrl('The address of a workflow that starts when a webhook request is received.') },
  server: SERVER,
  requires: ['MSTEAMS_ENABLED'],
  /** https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook */
  limit: ({ url }) => ({ key: `msteams ${url}`, messages: 4, perSeconds: 1 }),
  /** https://learn.microsoft.com/en-us/microsoftteams/limits-specifications-teams: bytes of a message by a webhook. */
  limits: { '': bytes(28_000) },
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: {
    says: 'They stand below the card. Each opens a page with one button, for which nobody has to sign in.',
  },
  render(event, { url }, { MSTEAMS_ENABLED: isEnabled }) {
    return isEnabled ? [jsonCall(url, teamsMessage(event))] : notEnabled('MS Teams');
  },
  classify,
});

/** https://learn.microsoft.com/en-us/azure/logic-apps/logic-apps-http-endpoint: how a workflow that is not there answers. */
function classify(reply: Reply): Outcome {
  const { code, message } = recordOf(jsonOf(reply).error);
  return code === 'WorkflowNotFound' ? goneForGood(reply, message) : classifyByStatus(reply, message);
}
