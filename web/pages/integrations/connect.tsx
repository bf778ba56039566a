import { queryOptions, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { type ActAnswer, act } from '../../app/act.ts';
import { keptInBrowser } from '../../app/kept.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { tell } from '../../ui/toasts.tsx';
import { LEFT_PROJECT } from './left-project.ts';

const words = m.integrations.connect;

type Connected = ActAnswer<'finishConnection'>;

/** The provider's answer that the person brings. It can be handed in once, or is an invitation of a destination. */
const finishQuery = (path: string, answer: string) =>
  queryOptions({
    queryKey: ['connection', path, answer],
    queryFn: () => {
      const invitation = new URLSearchParams(answer).get('invitation');
      return invitation === null
        ? act.finishConnection({ path, answer })
        : act.openChannelInvitation({ invitation });
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { live: 'never' },
  });

/** The page to which a provider sends people back after they set up an integration there. */
export function Connect() {
  const { way } = useParams({ from: '/signed-in/plain/integrations/$way' });
  const { searchStr, hash } = useLocation();
  const answer = [searchStr.replace(/^\?/, ''), hash].filter((part) => part !== '').join('&');
  const { data: connected, error } = useQuery(finishQuery(way, answer));
  const next = useGoOn();
  const leave = useEffectEvent(next);
  useEffect(() => {
    if (connected !== undefined) leave(connected);
  }, [connected]);
  const hasChoices = connected !== undefined && connected.choices.length > 0;
  const isForNobody = connected !== undefined && connected.destination !== null && !hasChoices;
  return (
    <Page title={words.title}>
      <PageBody>
        {error !== null && (
          <Blank title={error.message} actions={<WayBack />}>
            {words.failed}
          </Blank>
        )}
        {isForNobody && (
          <Blank title={words.noProject} actions={<ButtonLink to="/">{words.back}</ButtonLink>}>
            {words.noProjectLead}
          </Blank>
        )}
        {error === null && !hasChoices && !isForNobody && <p role="status">{words.finishing}</p>}
        {hasChoices && <Choices connected={connected} onChosen={next} />}
      </PageBody>
    </Page>
  );
}

/** Leads to the start of the set-up. For an invitation the project is not known. */
function WayBack() {
  const project = keptInBrowser(LEFT_PROJECT);
  if (typeof project !== 'string') return <ButtonLink to="/">{words.back}</ButtonLink>;
  return (
    <ButtonLink to="/projects/$project/integrations/" params={{ project }}>
      {m.integrations.setUp.back}
    </ButtonLink>
  );
}

/** Leads on to where the person has to go after that, if they need not choose. */
function useGoOn() {
  const navigate = useNavigate();
  return ({ project, label, added, address }: Connected) => {
    if (address !== null) window.location.assign(address);
    if (project === null || added.length === 0) return;
    tell(words.added(label, added));
    void navigate({ to: '/projects/$project/integrations/', params: { project }, replace: true });
  };
}

function Choices({
  connected: { label, destination, choices },
  onChosen,
}: {
  readonly connected: Connected;
  readonly onChosen: (connected: Connected) => void;
}) {
  const groups = [...Map.groupBy(choices, ({ group }) => group)];
  return (
    <>
      <PageHead
        title={destination === null ? words.choose(label) : words.chooseProject(label, destination)}
        lead={words.chooseLead}
      />
      <Form
        className="grid max-w-[480px] gap-4"
        send={({ choice = '' }) => act.chooseDestination({ choice })}
        done={onChosen}
      >
        <Select label={destination === null ? words.destination : words.project} name="choice">
          {groups.map(([group, members]) =>
            group === '' ? (
              <Options key={group} choices={members} />
            ) : (
              <optgroup key={group} label={group}>
                <Options choices={members} />
              </optgroup>
            ),
          )}
        </Select>
        <FormError />
        <Submit className="justify-self-start">{words.submit}</Submit>
      </Form>
    </>
  );
}

function Options({ choices }: Pick<Connected, 'choices'>) {
  return choices.map(({ name, choice }) => (
    <option key={choice} value={choice}>
      {name}
    </option>
  ));
}
