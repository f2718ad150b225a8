import { describeWithKeycloak, Keycloak } from '../support/keycloak/keycloak';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';

// Keycloak starts in 20 s if the machine does nothing else.
jest.setTimeout(300_000);

const PASSWORD = 'a password of some length';

const press = (on: Visitor, name: string): Promise<void> =>
  on.page.getByRole('button', { name, exact: true }).click();

const fill = (on: Visitor, label: string, text: string): Promise<void> =>
  on.page.getByLabel(label, { exact: true }).fill(text);

describeWithKeycloak('Keycloak with SAML', () => {
  let keycloak: Keycloak;
  let account: SignedIn;
  let owner: Visitor;
  let origin: string;

  beforeAll(async () => {
    [account, keycloak] = await Promise.all([SignedIn.arrive(), Keycloak.start()]);
    await account.app.setPassword(account.owner, PASSWORD);
    origin = account.origin.replace('127.0.0.1', 'localhost');
    owner = await account.stranger({}, origin);
    await owner.signIn(account.owner.email, PASSWORD);
  });

  afterAll(async () => {
    await account.leave();
    await keycloak.close();
  });

  it('is added by the URL of its metadata, and signs in a person', async () => {
    await owner.open('/security');
    await press(owner, 'Add a provider');
    await press(owner, 'SAML 2.0');
    await fill(owner, 'Metadata of the provider', `${keycloak.issuer}/protocol/saml/descriptor`);
    await press(owner, 'Fill in from the metadata');
    await owner.page.locator(`input[value="${keycloak.issuer}"]`).waitFor();
    await fill(owner, 'Name', 'Keycloak');
    await owner.page.getByLabel('Trust the email addresses of the provider').check();
    await owner.page.getByRole('combobox', { name: 'New users' }).click();
    await owner.page.getByRole('option', { name: 'Viewer' }).click();
    await fill(owner, 'Domains of new users', 'example.com');
    await press(owner, 'Next');
    await fill(owner, 'Current password', PASSWORD);
    await press(owner, 'Save');
    const addresses = owner.page.getByRole('dialog', { name: 'Addresses for Keycloak' });
    const shown = async (name: RegExp): Promise<string> =>
      (await addresses.getByRole('group', { name }).textContent()) ?? '';
    const [clientId, acsUrl, signInUrl] = await Promise.all([
      shown(/^Entity ID/),
      shown(/^ACS URL/),
      shown(/^Page on which/),
    ]);
    await keycloak.addClient({
      ...{ clientId, protocol: 'saml', redirectUris: [acsUrl] },
      attributes: {
        'saml.assertion.signature': 'true',
        'saml.server.signature': 'true',
        'saml.signature.algorithm': 'RSA_SHA256',
        'saml.client.signature': 'false',
        'saml.authnstatement': 'true',
        saml_assertion_consumer_url_post: acsUrl,
        'saml.force.post.binding': 'true',
      },
      protocolMappers: [
        {
          name: 'email',
          protocol: 'saml',
          protocolMapper: 'saml-user-property-mapper',
          config: {
            'user.attribute': 'email',
            'attribute.name': 'email',
            'attribute.nameformat': 'Basic',
          },
        },
      ],
    });
    const person = await account.stranger({}, origin);
    await person.page.goto(signInUrl);
    await press(person, 'Sign in with Keycloak');
    await person.page.waitForURL((url) => url.origin === keycloak.origin);
    await person.page.getByLabel('Username or email').fill('anna');
    await person.page.locator('#password').fill(keycloak.passwordOf('anna'));
    await press(person, 'Sign In');
    await person.page.getByRole('button', { name: 'You: anna@example.com' }).waitFor();
    expect([...owner.errors, ...person.errors]).toEqual([]);
    // The same person again, whose address has changed.
    await keycloak.changeUser('anna', { email: 'anna.adams@example.com' });
    const again = await account.stranger({}, origin);
    await again.page.goto(signInUrl);
    await press(again, 'Sign in with Keycloak');
    await again.page.waitForURL((url) => url.origin === keycloak.origin);
    await again.page.getByLabel('Username or email').fill('anna');
    await again.page.locator('#password').fill(keycloak.passwordOf('anna'));
    await press(again, 'Sign In');
    await again.page.getByRole('button', { name: 'You: anna@example.com' }).waitFor();
    expect(again.errors).toEqual([]);
  });
});
