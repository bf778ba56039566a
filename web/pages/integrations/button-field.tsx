import { BUTTON_CHOICES, type ButtonChoice } from '../../../src/domain/alert/button.ts';
import { m } from '../../messages/index.ts';
import { Note } from '../../ui/note.tsx';
import { Select } from '../../ui/select.tsx';
import type { ChannelKind } from './queries.ts';

const words = m.integrations.setUp.buttons;

/** What readers of the messages can do at once. */
export function ButtonField({
  buttons: { says, trouble },
  value,
  onValue,
}: {
  readonly buttons: NonNullable<ChannelKind['buttons']>;
  readonly value: ButtonChoice;
  readonly onValue: (value: ButtonChoice) => void;
}) {
  return (
    <>
      <Select
        label={words.label}
        hint={`${words.lead} ${says}`}
        name="buttons"
        className="min-h-10"
        value={value}
        options={BUTTON_CHOICES.map((choice) => [choice, words.choices[choice]])}
        onChange={({ target: { value: chosen } }) =>
          onValue(BUTTON_CHOICES.find((choice) => choice === chosen) ?? value)
        }
      />
      {trouble !== null && value !== 'none' && <ButtonTrouble text={trouble} />}
    </>
  );
}

/** Why messages have no buttons here, or some that do less. What operators have to type is between backticks. */
export function ButtonTrouble({ text }: { readonly text: string }) {
  return (
    <Note kind="late">
      {text.split('`').map((part, place) =>
        place % 2 === 0 ? (
          part
        ) : (
          <code key={part} className="font-mono">
            {part}
          </code>
        ),
      )}
    </Note>
  );
}
