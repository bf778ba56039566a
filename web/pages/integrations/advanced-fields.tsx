import { useState } from 'react';
import { m } from '../../messages/index.ts';
import { ButtonField } from './button-field.tsx';
import type { Draft } from './draft.ts';
import { ManyField } from './many-field.tsx';
import type { ChannelDetails, ChannelKind } from './queries.ts';
import { SettingField } from './setting-field.tsx';

const words = m.integrations.setUp;

/** What few people need. It is closed while all of it is as usual, and works. */
export function AdvancedFields({
  project,
  kind,
  channel,
  draft,
  onDraft,
}: {
  readonly project: string;
  readonly kind: ChannelKind;
  readonly channel: ChannelDetails | null;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}) {
  const { buttons, fields } = kind;
  const shown = fields.filter(({ isAdvanced }) => isAdvanced);
  const isChosen = shown.some((field) => draft.settings[field.name] !== field.default);
  const [isOpen] = useState(
    isChosen || (buttons !== null && (draft.buttons !== 'answer' || buttons.trouble !== null)),
  );
  if (shown.length === 0 && buttons === null) return null;
  const onSettings = (changed: Readonly<Record<string, unknown>>) =>
    onDraft({ ...draft, settings: { ...draft.settings, ...changed } });
  const hasMany = shown.some(({ name }) => name === 'together_above');
  const report = shown.find(({ name }) => name === 'report');
  const singles = shown.filter(
    (field) =>
      field !== report &&
      !field.name.startsWith('together_') &&
      !(field.name === 'outside_hours' && draft.settings.hours === ''),
  );
  const parts = [
    ...(shown.some(({ name }) => name === 'hours') ? [words.advancedParts.hours] : []),
    ...(hasMany ? [words.advancedParts.many] : []),
    ...(shown.some(({ name }) => name === 'report') ? [words.advancedParts.report] : []),
    ...(buttons === null ? [] : [words.advancedParts.buttons]),
  ];
  const single = (field: (typeof shown)[number]) => (
    <SettingField
      key={field.name}
      {...{ project, field }}
      value={draft.settings[field.name]}
      stored={channel?.settings[field.name] ?? null}
      onValue={(value) => onSettings({ [field.name]: value })}
    />
  );
  return (
    <details open={isOpen} className="border-t border-line pt-3.5">
      <summary className="cursor-pointer text-13 font-medium">
        {words.advanced} <span className="text-12 font-normal text-ink-3">· {parts.join(', ')}</span>
      </summary>
      <div className="mt-3.5 grid gap-4">
        {singles.map(single)}
        {hasMany && <ManyField settings={draft.settings} onSettings={onSettings} />}
        {report !== undefined && single(report)}
        {buttons !== null && (
          <ButtonField
            buttons={buttons}
            value={draft.buttons}
            onValue={(chosen) => onDraft({ ...draft, buttons: chosen })}
          />
        )}
      </div>
    </details>
  );
}
