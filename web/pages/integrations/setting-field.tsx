import { useSuspenseQuery } from '@tanstack/react-query';
import { shownName } from '../../app/channel-names.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { FieldError } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { emptyValue, type RequestValue } from './draft.ts';
import { PushField } from './push-field.tsx';
import { RequestField } from './request-field.tsx';
import { SecretField } from './secret-field.tsx';
import { nameOf, type SettingProps } from './setting-props.ts';

const words = m.integrations.setUp;

/** The control for one setting. Its kind of control is all that is known of it. */
export function SettingField(props: SettingProps) {
  const { field, value, stored, onValue } = props;
  switch (field.control) {
    case 'request':
      // The server declares it.
      return (
        <RequestField
          {...{ field, onValue }}
          value={value as RequestValue | null}
          stored={stored as RequestValue | null}
        />
      );
    case 'push':
      return <PushField {...props} />;
    case 'channels':
      return <MembersField {...props} />;
    case 'calendar':
      return <CalendarField {...props} />;
    case 'choice':
      return <ChoiceField {...props} />;
    case 'flag':
      return (
        <Checkbox
          label={field.label}
          {...(field.help !== '' && { hint: field.help })}
          checked={value === true}
          onChange={(event) => onValue(event.target.checked)}
        />
      );
    case 'lines':
      return (
        <TextArea
          label={`${field.label} (${words.optional})`}
          hint={field.help === '' ? undefined : field.help}
          name={nameOf(field)}
          {...(field.maxLength !== null && { maxLength: field.maxLength })}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onValue(event.target.value)}
        />
      );
    default:
      return <LineField {...props} />;
  }
}

const INPUT_TYPES: Readonly<Record<string, string>> = { number: 'number', url: 'url', email: 'email' };

function LineField({ field, value, stored, onValue }: SettingProps) {
  const { label, help, control, isRequired, isSecret, maxLength } = field;
  const isNumber = control === 'number';
  const read = (text: string) => {
    if (text === '') return emptyValue(field);
    return isNumber ? Number(text) : text;
  };
  const shared = {
    label: isRequired ? label : `${label} (${words.optional})`,
    type: INPUT_TYPES[control] ?? 'text',
    required: isRequired,
    hint: help === '' ? undefined : help,
    name: nameOf(field),
    value: value === null || value === undefined ? '' : String(value),
    ...(maxLength !== null && { maxLength }),
  };
  if (isSecret)
    return (
      <SecretField
        {...shared}
        stored={typeof stored === 'string' ? stored : null}
        onValue={(text) => onValue(read(text))}
      />
    );
  return (
    <Field
      {...shared}
      autoComplete="off"
      {...(isNumber && { step: 1 })}
      onChange={(event) => onValue(read(event.target.value))}
    />
  );
}

function ChoiceField({ field, value, onValue }: SettingProps) {
  const { label, help, choices } = field;
  const at = choices.findIndex((choice) => choice.value === value);
  return (
    <Select
      label={label}
      hint={help === '' ? undefined : help}
      name={nameOf(field)}
      className="min-h-10"
      value={at}
      options={choices.map((choice, place) => [String(place), choice.label])}
      onChange={(event) => onValue(choices[Number(event.target.value)]?.value)}
    />
  );
}

/** One of the calendars of the project, or none. */
function CalendarField({ project, field, value, onValue }: SettingProps) {
  const names = useSuspenseQuery(query.alerting({ project })).data.calendars.map(({ name }) => name);
  // It may have been renamed or deleted while the form was open.
  const chosen = typeof value === 'string' ? value : '';
  const options = chosen === '' || names.includes(chosen) ? names : [...names, chosen];
  return (
    <Select
      label={field.label}
      hint={options.length === 0 ? words.hours.none : words.hours.hint}
      name={nameOf(field)}
      className="min-h-10"
      value={chosen}
      options={[['', words.hours.always], ...options.map((name) => [name, words.hours.only(name)] as const)]}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}

/** Other integrations. Groups cannot be members of groups. */
function MembersField({ project, field, value, onValue }: SettingProps) {
  const { channels } = useSuspenseQuery(query.channelOverview({ project })).data;
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  const others = channels.filter(({ kind }) => kind !== 'group');
  return (
    <fieldset name={nameOf(field)} className="grid min-w-0 gap-2">
      <legend className="pb-1.5 text-13 font-medium">{field.label}</legend>
      {others.length === 0 && <p className="text-13 text-ink-3">{words.noMembers}</p>}
      {others.map((channel) => (
        <Checkbox
          key={channel.id}
          label={`${shownName(channel)} · ${channel.target}`}
          checked={chosen.includes(channel.id)}
          onChange={(event) =>
            onValue(
              event.target.checked
                ? [...chosen, channel.id]
                : chosen.filter((member) => member !== channel.id),
            )
          }
        />
      ))}
      <FieldError name={nameOf(field)} />
    </fieldset>
  );
}
