/** Data for forms of integrations, of any kind that the operator offers. */
import { checkLabel } from '../domain/check/check-label.ts';
import { describeKinds, messageLimits } from '../integrations/registry.ts';
import { previewChannelDraft } from '../services/alert/channel-preview.ts';
import { readUsage } from '../services/alert/undelivered.ts';
import { PREVIEW_FIELDS } from '../wire/api/channel-input.ts';
import { previewJson } from '../wire/api/channel-output.ts';
import { DRAFT_FIELDS } from '../wire/dashboard/channel-input.ts';
import { optional } from '../wire/dashboard/input.ts';
import { mainView } from './view.ts';

/** All kinds, with their use by the owner of the project. */
export const channelKinds = mainView.project({
  permission: 'channels.view',
  read: async (deps, { actor }) => {
    const { offer, pushKey, buttonTrouble } = deps.channelTools;
    const usage = await readUsage(deps, actor, messageLimits(offer.server));
    const kinds = describeKinds(offer).map(
      async ({ settings, counter, connectedOnly, buttons, ...described }) => {
        const { kind, label, category, summary, description, confirmedBy, canConnect } = described;
        return {
          ...{ kind, label, category, summary, description },
          /** All settings of the operator that are missing: `A, B or C`. Null if the kind is offered. */
          missing: described.missing,
          /** The way in which the recipient confirms that messages are wanted. Null if nobody has to. */
          confirmedBy,
          /** Whether people can set it up at the provider, by a button. */
          canConnect,
          /** Whether they have to, or by an invitation. Then a form cannot make one. */
          mustConnect: connectedOnly.length > 0,
          /** Instructions to let this service into the destination. Null if nobody has to. */
          invitation: described.invitation,
          /** The use in this month and its limit. Null if there is no limit. */
          quota: counter && usage[counter],
          /** The events that a form for a new one suggests. */
          suggestedEvents: described.suggestedEvents,
          /** All events that one can be told of. */
          events: described.events,
          /** Null if messages have none. */
          buttons: buttons && {
            /** How messages show them. */
            says: buttons.says,
            /** Why there are none here, or some that do less. Null if all work. */
            trouble: await buttonTrouble(kind),
            needsTaps: buttons.needsTaps ?? false,
          },
          fields: Object.entries(settings)
            .filter(([name]) => !connectedOnly.includes(name))
            .map(
              ([
                name,
                {
                  label: title,
                  help = '',
                  control,
                  secret,
                  default: preset,
                  choices = [],
                  field,
                  isAdvanced,
                },
              ]) => ({
                ...{ name, label: title, help, control, isSecret: secret === true },
                isAdvanced: isAdvanced === true,
                isRequired: preset === undefined,
                default: preset ?? null,
                choices: choices.map((choice) => ({ value: choice.value, label: choice.label })),
                maxLength: typeof field.schema.maxLength === 'number' ? field.schema.maxLength : null,
              }),
            ),
        };
      },
    );
    return {
      kinds: await Promise.all(kinds),
      /** The public key to which a browser subscribes that is to be told. */
      pushKey: await pushKey(),
    };
  },
});

/** The messages that unsaved settings would send about a check of the project. */
export const channelPreview = mainView.project({
  permission: 'channels.test',
  input: { ...DRAFT_FIELDS, event: optional(PREVIEW_FIELDS.event) },
  read: async (deps, { actor, input: { channel: uuid, ...draft } }) => {
    const { offer, renderPreview: render } = deps.channelTools;
    const preview = await previewChannelDraft(deps, actor, { uuid, ...draft }, { offer, render });
    const { about } = preview;
    /** The name of the check. Null if the project has none, and the message is about an invented one. */
    return { ...previewJson(preview), about: about && checkLabel(about.name) };
  },
});
