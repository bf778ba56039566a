import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ChannelKindJson } from '../../../src/wire/dashboard/channel-output.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { tell } from '../../ui/toasts.tsx';
import { ChannelForm } from './channel-form.tsx';
import { newDraft } from './draft.ts';
import { KindTile } from './kind-tile.tsx';
import { channelsQuery, kindsQuery } from './queries.ts';

const words = m.integrations.setUp;

/** Where an integration of one kind is set up. */
export function SetUp() {
  const project = useProject();
  const { kind: name = '' } = useParams({ strict: false });
  const { kinds } = useSuspenseQuery(kindsQuery(project.uuid)).data;
  const kind = kinds.find((one) => one.kind === name);
  const title = kind === undefined ? words.unknown : words.add(kind.label);
  const base = `/projects/${project.uuid}`;
  return (
    <Page
      title={title}
      crumbs={[
        { label: project.name, to: `${base}/checks/` },
        { label: m.integrations.name, to: `${base}/integrations/` },
        { label: title, to: null },
      ]}
    >
      <PageBody>
        {kind !== undefined && kind.missing === null && mayWrite(project) ? (
          <NewChannel kind={kind} project={project.uuid} />
        ) : (
          <Blank
            title={kind === undefined || mayWrite(project) ? title : words.readOnly}
            actions={<ButtonLink to={`${base}/integrations/`}>{words.back}</ButtonLink>}
          >
            {kind?.missing ? words.missing(kind.missing) : words.unknownLead}
          </Blank>
        )}
      </PageBody>
    </Page>
  );
}

type Assigned = 'all' | 'none';

function NewChannel({ kind, project }: { readonly kind: ChannelKindJson; readonly project: string }) {
  const { checks } = useSuspenseQuery(channelsQuery(project)).data;
  const [assigned, setAssigned] = useState<Assigned>('all');
  const navigate = useNavigate();
  const leave = () => navigate({ to: `/projects/${project}/integrations/` });
  const { label, description } = kind;
  return (
    <>
      <div className="flex items-start gap-8">
        <KindTile label={label} />
        <PageHead title={words.add(label)} lead={description} />
      </div>
      <ChannelForm
        {...{ project, kind }}
        channel={null}
        start={newDraft(kind)}
        extraBody={{ checks: assigned === 'all' ? '*' : [] }}
        onCancel={leave}
        onSaved={({ health }) => {
          tell(health === 'unconfirmed' ? words.asked(label) : words.added(label));
          void leave();
        }}
      >
        <div className="grid justify-items-start gap-3">
          <p className="text-13 font-medium">{words.forChecks}</p>
          <Segments
            label={words.forChecks}
            choices={[
              { value: 'all', label: words.allChecks(checks) },
              { value: 'none', label: words.noChecks },
            ]}
            value={assigned}
            onChange={setAssigned}
          />
          <p className="text-12 text-ink-3">{words.forChecksHint}</p>
        </div>
      </ChannelForm>
    </>
  );
}
