import { Checkbox, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { VERBATIM } from '../../common/verbatim';
import { PasswordField } from '../../common/password-field';
import { connectionsText } from '../../text/connections-text';
import type { SettingField } from './destination-descriptor';
import { isPart } from './destinations';
import type { Draft } from './draft';

export interface SettingsFieldsProps {
  readonly draft: Draft;
  /** Messages by the names of `fieldNames`. */
  readonly errors: Readonly<Partial<Record<string, string>>>;
  /** True if a secret is saved. */
  readonly hasSecret?: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The name of a connection, and the settings of its destination. */
export function SettingsFields(props: SettingsFieldsProps): ReactNode {
  const { draft, errors, hasSecret = false, onChange } = props;
  const { destination, values, name, secret } = draft;
  return (
    <>
      <TextInput
        label={connectionsText.form.name}
        required
        maxLength={200}
        data-autofocus
        value={name}
        error={errors['name']}
        onChange={({ currentTarget }) => {
          onChange({ name: currentTarget.value });
        }}
      />
      {destination.fields
        .filter((field) => isPart(field, values))
        .map((field) => (
          <SettingInput
            key={field.name}
            field={field}
            value={values[field.name] ?? field.defaultValue}
            error={errors[`settings.${field.name}`]}
            onChange={(value) => {
              onChange({ values: { ...values, [field.name]: value } });
            }}
          />
        ))}
      {destination.secret && isPart(destination.secret, values) && (
        <PasswordField
          label={destination.secret.label}
          name="secret"
          description={hasSecret ? connectionsText.form.secretHint : destination.secret.help}
          autoComplete="new-password"
          value={secret}
          error={errors['secret']}
          onChange={(value) => {
            onChange({ secret: value });
          }}
        />
      )}
    </>
  );
}

interface SettingInputProps {
  readonly field: SettingField;
  readonly value: string | boolean;
  readonly error: string | undefined;
  readonly onChange: (value: string | boolean) => void;
}

function SettingInput({ field, value, error, onChange }: SettingInputProps): ReactNode {
  const { label, help, type, isOptional = false } = field;
  if (type === 'checkbox') {
    return (
      <Checkbox
        label={label}
        description={help}
        checked={value === true}
        error={error}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
        }}
      />
    );
  }
  if (type === 'choice') {
    return (
      <Radio.Group
        label={label}
        description={help}
        value={`${value}`}
        error={error}
        onChange={onChange}
      >
        <Stack gap="xs" mt={4}>
          {field.choices?.map((choice) => (
            <Radio key={choice.value} value={choice.value} label={choice.label} />
          ))}
        </Stack>
      </Radio.Group>
    );
  }
  const common = { label, description: help, error, value: `${value}`, ...VERBATIM };
  if (type === 'area') {
    return (
      <Textarea
        {...common}
        autosize
        minRows={2}
        maxRows={8}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
      />
    );
  }
  return (
    <TextInput
      {...common}
      required={!isOptional}
      autoComplete="off"
      inputMode={type === 'number' ? 'numeric' : 'text'}
      onChange={({ currentTarget }) => {
        onChange(currentTarget.value);
      }}
    />
  );
}
