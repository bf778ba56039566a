import type { StoredPolicy } from '../../domain/policy/stored-policy.ts';
import { listCalendars } from '../../services/alert/calendars.ts';
import {
  createPolicy,
  deletePolicy,
  editPolicy,
  getAlerting,
  getPolicy,
  listPolicies,
  setAlerting,
} from '../../services/alert/policies.ts';
import type { Actor } from '../../services/core/actor.ts';
import type { Deps } from '../../services/core/deps.ts';
import { parseAlerting, parseNewPolicy, parsePolicyInput } from '../../wire/api/policy-input.ts';
import { alertingJson, policyJson } from '../../wire/api/policy-output.ts';
import * as docs from '../../wire/openapi/operations/policies.ts';
import { POLICY_SEGMENT } from '../path-segments.ts';
import { type Endpoint, withKey } from './endpoint.ts';

/** How outages are told: policies, and what they count for. */
export function policyEndpoints(deps: Deps): Endpoint[] {
  const shown = async (actor: Actor, policies: readonly StoredPolicy[]) => {
    const names = new Map((await listCalendars(deps, actor)).map(({ uuid, name }) => [uuid, name]));
    return policies.map((policy) => policyJson(policy, names));
  };
  const shownOne = async (actor: Actor, policy: StoredPolicy) => (await shown(actor, [policy]))[0];
  return [
    {
      path: '/policies/',
      operations: {
        GET: withKey(docs.listPolicies, 'policies.view', async ({ actor }) => ({
          status: 200,
          json: { policies: await shown(actor, await listPolicies(deps, actor)) },
        })),
        POST: withKey(docs.createPolicy, 'policies.edit', async ({ actor, body }) => {
          const { name, rules } = parseNewPolicy(body);
          return { status: 201, json: await shownOne(actor, await createPolicy(deps, actor, name, rules)) };
        }),
      },
    },
    {
      path: `/policies/${POLICY_SEGMENT}`,
      operations: {
        GET: withKey(docs.getPolicy, 'policies.view', async ({ actor, params }) => ({
          status: 200,
          json: await shownOne(actor, await getPolicy(deps, actor, params.policy ?? '')),
        })),
        POST: withKey(docs.updatePolicy, 'policies.edit', async ({ actor, params, body }) => ({
          status: 200,
          json: await shownOne(
            actor,
            await editPolicy(deps, actor, params.policy ?? '', parsePolicyInput(body)),
          ),
        })),
        DELETE: withKey(docs.deletePolicy, 'policies.edit', async ({ actor, params, query }) => {
          const isForced = query.getAll('force').at(-1) === '1';
          return {
            status: 200,
            json: await shownOne(actor, await deletePolicy(deps, actor, params.policy ?? '', isForced)),
          };
        }),
      },
    },
    {
      path: '/alerting/',
      operations: {
        GET: withKey(docs.getAlerting, 'policies.view', async ({ actor }) => ({
          status: 200,
          json: alertingJson(await getAlerting(deps, actor)),
        })),
        POST: withKey(docs.setAlerting, 'policies.edit', async ({ actor, body }) => ({
          status: 200,
          json: alertingJson(await setAlerting(deps, actor, parseAlerting(body))),
        })),
      },
    },
  ];
}
