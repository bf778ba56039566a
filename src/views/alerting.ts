/** How the outages of a project are told. */
import { AT_ONCE_NAME } from '../domain/policy/presets.ts';
import { listCalendars, listCalendarUses } from '../services/alert/calendars.ts';
import { listChannels } from '../services/alert/channels.ts';
import { getAlerting, listPolicies, listPolicyUses } from '../services/alert/policies.ts';
import { calendarJson } from '../wire/api/calendar-output.ts';
import { policyJson } from '../wire/api/policy-output.ts';
import { channelJson } from './board-json.ts';
import { projectView } from './view.ts';

export const alerting = projectView({
  permission: 'policies.view',
  read: async (deps, { actor }) => {
    const { policy, tags } = await getAlerting(deps, actor);
    const calendars = await listCalendars(deps, actor);
    const calendarNames = new Map(calendars.map(({ uuid, name }) => [uuid, name]));
    return {
      /** The name of the policy of the project. */
      policy: policy?.name ?? AT_ONCE_NAME,
      /** Tags with something of their own, in the order in which they count. */
      tags,
      /** Calendars in their rules are names, integrations are UUIDs. */
      policies: (await listPolicies(deps, actor)).map((one) => {
        const { uuid, name, ...rules } = policyJson(one, calendarNames);
        return { uuid, name, rules };
      }),
      calendars: calendars.map(calendarJson),
      channels: (await listChannels(deps, actor)).map(channelJson),
      knownTags: await deps.store.checks.tagsOfProject(actor.projectId),
    };
  },
});

/** What would lose its hours or its way to tell, if one of them were deleted. */
export const alertingUses = projectView({
  permission: 'policies.view',
  read: async (deps, { actor }) => ({
    policies: await listPolicyUses(deps, actor),
    calendars: await listCalendarUses(deps, actor),
  }),
});
