import { Alert, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { expiresAtOf, type Expiry } from '../../../common/expiry';
import { ExpiryField } from '../../../common/expiry-field';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { SavedView } from '../saved-view';
import { createLink, type NewViewLink } from './share-calls';
import { shownColumns } from './shown-columns';

export interface CreateLinkProps {
  readonly datagridId: string;
  readonly view: SavedView;
  readonly columns: readonly Column[];
  /** Whether the displayed rows differ from the view. */
  readonly isChanged: boolean;
  /** Whether the view has a link, which stops working. */
  readonly isReplacing: boolean;
  readonly onCreated: (link: NewViewLink) => void;
  readonly onClose: () => void;
}

/** Says what a link would show, and creates it. */
export function CreateLink(props: CreateLinkProps): ReactNode {
  const { datagridId, view, columns, isChanged, isReplacing, onCreated, onClose } = props;
  const [expiry, setExpiry] = useState<Expiry>({ choice: '90', day: '' });
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => createLink(datagridId, view, expiresAtOf(expiry)),
    onSuccess: onCreated,
  });
  const { fields, rest } = formErrors(error, ['expiresAt']);
  const { visible, usedHidden, searchesHidden } = shownColumns(view, columns);
  return (
    <Form
      submitLabel={isReplacing ? gridText.share.replace : gridText.share.create}
      isPending={isPending}
      error={error}
      problem={rest}
      onCancel={onClose}
      onSubmit={() => {
        mutate();
      }}
    >
      <Text>{gridText.share.explanation}</Text>
      <Alert color="yellow" title={gridText.share.shows(visible.length)}>
        <List size="sm" className="shared-columns">
          {visible.map(({ key, title }) => (
            <List.Item key={key}>{title}</List.Item>
          ))}
        </List>
        <Stack gap="xs" mt="xs">
          <Text size="sm">{gridText.share.later}</Text>
          {usedHidden.length > 0 && (
            <Text size="sm">{gridText.share.usesHidden(usedHidden.map(({ title }) => title))}</Text>
          )}
          {searchesHidden && <Text size="sm">{gridText.share.searchesHidden}</Text>}
          {isChanged && <Text size="sm">{gridText.share.unsaved}</Text>}
        </Stack>
      </Alert>
      {isReplacing && <Text>{gridText.share.replaces}</Text>}
      <ExpiryField
        value={expiry}
        onChange={setExpiry}
        neverHint={gridText.share.neverHint}
        error={fields.expiresAt}
      />
    </Form>
  );
}
